#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T and S, the tags of elements and of the arithmetic; JOIN(a, b) and NEUTRAL.
//
// A line of n elements that are `inner` apart is scanned in chunks, one for each item. Each step is
// rounded to T, as on the CPU.
const Program kScanProgram = {"scan", R"(
typedef VALUE(S) V;
#define ROUNDED(v) RAMET_JOIN(load_, T)(RAMET_JOIN(store_, T)(v))
#define CHUNK_OF(item)                                             \
  const index_t line = item % lines;                               \
  const index_t base = line / inner * n * inner + line % inner;    \
  const index_t begin = item / lines * chunk;                      \
  const index_t end = begin + chunk < n ? begin + chunk : n;
#define POSITION(j) (base + (reverse != 0 ? n - 1 - (j) : (j)) * inner)

// Row c of `totals` has the totals of chunk c of all lines.
KERNEL(chunk_totals)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* totals, index_t n, index_t inner,
                     index_t lines, index_t chunk, int reverse, index_t items) {
  FOR_EACH(item, items) {
    CHUNK_OF(item)
    V total = NEUTRAL;
    for (index_t j = begin; j < end; ++j) {
      total = (V)ROUNDED(JOIN(total, (V)LOAD(T, x, POSITION(j))));
    }
    STORE(T, totals, item, total);
  }
}
KERNEL(scan)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* starts, GLOBAL STORED(T)* y,
             index_t n, index_t inner, index_t lines, index_t chunk, int reverse, int exclusive,
             int has_starts, index_t items) {
  FOR_EACH(item, items) {
    CHUNK_OF(item)
    V total = NEUTRAL;
    if (has_starts != 0) total = (V)LOAD(T, starts, item);
    for (index_t j = begin; j < end; ++j) {
      const index_t at = POSITION(j);
      const V next = (V)ROUNDED(JOIN(total, (V)LOAD(T, x, at)));
      STORE(T, y, at, exclusive != 0 ? total : next);
      total = next;
    }
  }
}
)"};

// Definitions: T and S, the tags of elements and sums; OP as in kReduceProgram.
//
// `lanes` items of a work group of 128 share an element of the result, which combines rows
// [starts[i], starts[i + 1]) of x.
const Program kSegmentProgram = {"segments", R"(
#define PROD 1
#define MEAN 2
#define MAX 3
#define MIN 4
typedef VALUE(S) V;
FUNCTION V join(V a, V b) {
#if OP == PROD
  return a * b;
#elif OP == MAX
  return b > a ? b : a;
#elif OP == MIN
  return b < a ? b : a;
#else
  return a + b;
#endif
}
KERNEL(segments)(GLOBAL const i64* starts, GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y,
                 index_t inner, index_t outputs, int lanes) {
  LOCAL V parts[128];
  const int item = LOCAL_ID(0);
  const int per_group = 128 / lanes;
  const int lane = item / per_group;
  const index_t output = (index_t)GROUP_ID(0) * per_group + item % per_group;
  V sum = OP == PROD ? 1 : 0;
  index_t count = 0;
  if (output < outputs) {
    const index_t begin = (index_t)starts[output / inner];
    count = (index_t)starts[output / inner + 1] - begin;
    for (index_t r = lane; r < count; r += lanes) {
      const V v = (V)LOAD(T, x, (begin + r) * inner + output % inner);
      sum = r == lane ? v : join(sum, v);
    }
  }
  parts[item] = sum;
  BARRIER();
  const index_t filled = count < lanes ? count : lanes;
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width && lane + width < filled) {
      parts[item] = join(parts[item], parts[item + width * per_group]);
    }
    BARRIER();
  }
  if (lane == 0 && output < outputs) {
    V result = parts[item];
#if OP == MEAN
    if (count > 0) result = result / (V)count;
#endif
    STORE(T, y, output, result);
  }
}
)"};

}  // namespace ramet::gpu
