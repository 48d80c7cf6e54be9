#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T and S, the tags of elements and sums; L, the tag of the labels of sparse_xent.
//
// `lanes` items of a work group share a row; both sizes are powers of two. An item holds up to four
// elements in registers, and reads those after them again. Items that have no row take part in the
// barriers.
const Program kRowsProgram = {"rows", R"(
typedef VALUE(S) V;
#define HELD 4
#define ROW_START                                                                       \
  LOCAL V parts[512];                                                                   \
  const int item = LOCAL_ID(0);                                                         \
  const int lane = item & (lanes - 1);                                                  \
  const index_t row = (index_t)GROUP_ID(0) * (GROUP_SIZE(0) / lanes) + item / lanes;    \
  const index_t start = row * columns;                                                  \
  const index_t end = row < rows ? columns : 0;                                         \
  V shifted[HELD], exps[HELD];
#define FOR_EACH_HELD UNROLL for (int k = 0; k < HELD; ++k)
#define HELD_AT (lane + k * lanes)
#define FOR_EACH_LATER for (index_t i = lane + HELD * lanes; i < end; i += lanes)

FUNCTION V larger(V a, V b) { return b > a || b != b ? b : a; }
FUNCTION V shared_max(LOCAL_POINTER V* parts, int item, int lane, int lanes, V v) {
  parts[item] = v;
  BARRIER();
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width) parts[item] = larger(parts[item], parts[item + width]);
    BARRIER();
  }
  const V result = parts[item - lane];
  BARRIER();
  return result;
}
FUNCTION V shared_sum(LOCAL_POINTER V* parts, int item, int lane, int lanes, V v) {
  parts[item] = v;
  BARRIER();
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width) parts[item] += parts[item + width];
    BARRIER();
  }
  const V result = parts[item - lane];
  BARRIER();
  return result;
}
// Reads the held elements and returns the largest of the row.
INLINE_FUNCTION V row_max(GLOBAL const STORED(T)* x, index_t start, index_t end, V* held,
                          LOCAL_POINTER V* parts, int item, int lane, int lanes) {
  const V lowest = -(V)AS_F32(0x7F800000u);
  FOR_EACH_HELD held[k] = HELD_AT < end ? (V)LOAD(T, x, start + HELD_AT) : lowest;
  V top = lowest;
  FOR_EACH_HELD top = larger(top, held[k]);
  FOR_EACH_LATER top = larger(top, (V)LOAD(T, x, start + i));
  return shared_max(parts, item, lane, lanes, top);
}
// Subtracts `top` from the held elements, sets their exponentials, and returns the sum of the row's.
// Held elements after the end are -infinity, so that they add nothing.
INLINE_FUNCTION V row_sum(GLOBAL const STORED(T)* x, index_t start, index_t end, V top, V* held,
                          V* exps, LOCAL_POINTER V* parts, int item, int lane, int lanes) {
  V sum = 0;
  FOR_EACH_HELD {
    held[k] -= top;
    exps[k] = exp(held[k]);
    sum += exps[k];
  }
  FOR_EACH_LATER sum += exp((V)LOAD(T, x, start + i) - top);
  return shared_sum(parts, item, lane, lanes, sum);
}

BOUNDED_KERNEL(softmax, 512, 2)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, index_t rows,
                                index_t columns, int lanes, int is_log) {
  ROW_START
  const V top = row_max(x, start, end, shifted, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, shifted, exps, parts, item, lane, lanes);
  const V log_sum = log(sum);
  FOR_EACH_HELD {
    if (HELD_AT < end) {
      STORE(T, y, start + HELD_AT, is_log ? shifted[k] - log_sum : exps[k] / sum);
    }
  }
  FOR_EACH_LATER {
    const V v = (V)LOAD(T, x, start + i) - top;
    STORE(T, y, start + i, is_log ? v - log_sum : exp(v) / sum);
  }
}

BOUNDED_KERNEL(xent, 512, 2)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* labels,
                             GLOBAL STORED(T)* loss, GLOBAL STORED(T)* backprop, index_t rows,
                             index_t columns, int lanes) {
  ROW_START
  V label[HELD];
  FOR_EACH_HELD label[k] = HELD_AT < end ? (V)LOAD(T, labels, start + HELD_AT) : 0;
  const V top = row_max(x, start, end, shifted, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, shifted, exps, parts, item, lane, lanes);
  const V log_sum = log(sum);
  V total = 0;
  FOR_EACH_HELD {
    if (HELD_AT < end) {
      total += label[k] * (log_sum - shifted[k]);
      STORE(T, backprop, start + HELD_AT, exps[k] / sum - label[k]);
    }
  }
  FOR_EACH_LATER {
    const V v = (V)LOAD(T, x, start + i) - top;
    const V l = (V)LOAD(T, labels, start + i);
    total += l * (log_sum - v);
    STORE(T, backprop, start + i, exp(v) / sum - l);
  }
  total = shared_sum(parts, item, lane, lanes, total);
  if (lane == 0 && end > 0) STORE(T, loss, row, total);
}

BOUNDED_KERNEL(sparse_xent, 512, 2)(GLOBAL const STORED(T)* x, GLOBAL const STORED(L)* labels,
                                    GLOBAL STORED(T)* loss, GLOBAL STORED(T)* backprop,
                                    index_t rows, index_t columns, int lanes) {
  ROW_START
  const i64 label = end > 0 ? (i64)LOAD(L, labels, row) : 0;
  const int is_bad = label < 0 || label >= columns;
  const V nan = AS_F32(0x7FC00000u);
  const V at_label = end > 0 && !is_bad ? (V)LOAD(T, x, start + (index_t)label) : nan;
  const V top = row_max(x, start, end, shifted, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, shifted, exps, parts, item, lane, lanes);
  FOR_EACH_HELD {
    const V share = exps[k] / sum;
    if (HELD_AT < end) {
      STORE(T, backprop, start + HELD_AT, is_bad ? nan : HELD_AT == label ? share - 1 : share);
    }
  }
  FOR_EACH_LATER {
    const V share = exp((V)LOAD(T, x, start + i) - top) / sum;
    STORE(T, backprop, start + i, is_bad ? nan : i == label ? share - 1 : share);
  }
  if (lane == 0 && end > 0) STORE(T, loss, row, log(sum) - (at_label - top));
}
)"};

// A work item looks at one row. Definitions: I, the tag of targets.
const Program kInTopKProgram = {"in top k", R"(
KERNEL(in_top_k)(GLOBAL const f32* predictions, GLOBAL const STORED(I)* targets, GLOBAL u8* y,
                 index_t classes, i64 k, index_t n) {
  FOR_EACH(r, n) {
    GLOBAL const f32* row = predictions + r * classes;
    const i64 target = (i64)LOAD(I, targets, r);
    int known = target >= 0 && target < classes;
    i64 above = 0;
    for (index_t i = 0; known && i < classes; ++i) {
      known = isfinite(row[i]);
      above += row[i] > row[(index_t)target];
    }
    y[r] = known && above < k;
  }
}
)"};

}  // namespace ramet::gpu
