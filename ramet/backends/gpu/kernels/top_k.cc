#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T and I, the tags of values and indices.
//
// top_rounds finds the next element of a row in each of k rounds, with a work group of 128 for a
// row. The other kernels sort all indices of a row: `order` has `size` of them for each row, a
// power of two. Indices from n on come last.
const Program kTopKProgram = {"top k", R"(
typedef VALUE(T) V;
// Reports whether element i, v, comes before element j, w: larger ones first, NaNs last.
FUNCTION int before(V v, index_t i, V w, index_t j) {
  if (v > w) return 1;
  if (v < w) return 0;
  if ((v != v) != (w != w)) return w != w;
  return i < j;
}
KERNEL(top_rounds)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* values, GLOBAL STORED(I)* indices,
                   index_t n, index_t k) {
  LOCAL V found[128];
  LOCAL index_t places[128];
  const int item = LOCAL_ID(0);
  const index_t row = (index_t)GROUP_ID(0);
  V last = 0;
  index_t last_at = -1;
  for (index_t round = 0; round < k; ++round) {
    V best = 0;
    index_t at = n;
    for (index_t j = item; j < n; j += 128) {
      const V v = LOAD(T, x, row * n + j);
      const int is_left = last_at < 0 || before(last, last_at, v, j);
      if (is_left && (at == n || before(v, j, best, at))) {
        best = v;
        at = j;
      }
    }
    found[item] = best;
    places[item] = at;
    BARRIER();
    for (int width = 64; width > 0; width /= 2) {
      if (item < width && places[item + width] < n &&
          (places[item] == n ||
           before(found[item + width], places[item + width], found[item], places[item]))) {
        found[item] = found[item + width];
        places[item] = places[item + width];
      }
      BARRIER();
    }
    last = found[0];
    last_at = places[0];
    BARRIER();
    if (item == 0) {
      STORE(T, values, row * k + round, last);
      STORE(I, indices, row * k + round, (VALUE(I))last_at);
    }
  }
}

KERNEL(top_start)(GLOBAL i32* order, index_t size, index_t items) {
  FOR_EACH(i, items) order[i] = (i32)(i % size);
}
// A step of a bitonic sort: exchanges elements that are `stride` apart, in runs of `run`.
KERNEL(top_exchange)(GLOBAL const STORED(T)* x, GLOBAL i32* order, index_t n, index_t size,
                     index_t run, index_t stride, index_t items) {
  FOR_EACH(item, items) {
    const index_t row = item / (size / 2);
    const index_t pair = item % (size / 2);
    const index_t low = pair / stride * stride * 2 + pair % stride;
    const index_t i = order[row * size + low];
    const index_t j = order[row * size + low + stride];
    int is_swapped;
    if (i >= n || j >= n) {
      is_swapped = j < i;
    } else {
      is_swapped = before(LOAD(T, x, row * n + j), j, LOAD(T, x, row * n + i), i);
    }
    const int is_ascending = (low & run) == 0;
    if (is_swapped == is_ascending) {
      order[row * size + low] = (i32)j;
      order[row * size + low + stride] = (i32)i;
    }
  }
}
KERNEL(top_take)(GLOBAL const STORED(T)* x, GLOBAL const i32* order, GLOBAL STORED(T)* values,
                 GLOBAL STORED(I)* indices, index_t n, index_t size, index_t k, index_t items) {
  FOR_EACH(i, items) {
    const index_t row = i / k;
    const index_t at = order[row * size + i % k];
    values[i] = x[row * n + at];
    STORE(I, indices, i, (VALUE(I))at);
  }
}
)"};

}  // namespace ramet::gpu
