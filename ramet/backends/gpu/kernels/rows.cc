#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T and S, the tags of elements and sums; L, the tag of the labels of sparse_xent.
//
// `lanes` items of a work group of 128 share a row. Items that have no row take part in the
// barriers.
const Program kRowsProgram = {"rows", R"(
typedef VALUE(S) V;
#define ROW_START                                                   \
  LOCAL V parts[128];                                               \
  const int item = LOCAL_ID(0);                                     \
  const int lane = item % lanes;                                    \
  const index_t row = (index_t)GROUP_ID(0) * (128 / lanes) + item / lanes; \
  const index_t start = row * columns;                              \
  const index_t end = row < rows ? columns : 0;

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
FUNCTION V row_max(GLOBAL const STORED(T)* x, index_t start, index_t end, LOCAL_POINTER V* parts, int item,
                   int lane, int lanes) {
  V top = -(V)AS_F32(0x7F800000u);
  for (index_t i = lane; i < end; i += lanes) top = larger(top, (V)LOAD(T, x, start + i));
  return shared_max(parts, item, lane, lanes, top);
}
FUNCTION V row_sum(GLOBAL const STORED(T)* x, index_t start, index_t end, V top, LOCAL_POINTER V* parts,
                   int item, int lane, int lanes) {
  V sum = 0;
  for (index_t i = lane; i < end; i += lanes) sum += exp((V)LOAD(T, x, start + i) - top);
  return shared_sum(parts, item, lane, lanes, sum);
}

KERNEL(softmax)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, index_t rows, index_t columns,
                int lanes, int is_log) {
  ROW_START
  const V top = row_max(x, start, end, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, parts, item, lane, lanes);
  const V log_sum = log(sum);
  for (index_t i = lane; i < end; i += lanes) {
    const V shifted = (V)LOAD(T, x, start + i) - top;
    STORE(T, y, start + i, is_log ? shifted - log_sum : exp(shifted) / sum);
  }
}

KERNEL(xent)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* labels, GLOBAL STORED(T)* loss,
             GLOBAL STORED(T)* backprop, index_t rows, index_t columns, int lanes) {
  ROW_START
  const V top = row_max(x, start, end, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, parts, item, lane, lanes);
  const V log_sum = log(sum);
  V total = 0;
  for (index_t i = lane; i < end; i += lanes) {
    const V shifted = (V)LOAD(T, x, start + i) - top;
    const V label = (V)LOAD(T, labels, start + i);
    total += label * (log_sum - shifted);
    STORE(T, backprop, start + i, exp(shifted) / sum - label);
  }
  total = shared_sum(parts, item, lane, lanes, total);
  if (lane == 0 && end > 0) STORE(T, loss, row, total);
}

KERNEL(sparse_xent)(GLOBAL const STORED(T)* x, GLOBAL const STORED(L)* labels,
                    GLOBAL STORED(T)* loss, GLOBAL STORED(T)* backprop, index_t rows,
                    index_t columns, int lanes) {
  ROW_START
  const V top = row_max(x, start, end, parts, item, lane, lanes);
  const V sum = row_sum(x, start, end, top, parts, item, lane, lanes);
  const i64 label = end > 0 ? (i64)LOAD(L, labels, row) : 0;
  const int is_bad = label < 0 || label >= columns;
  const V nan = AS_F32(0x7FC00000u);
  const V at_label = end > 0 && !is_bad ? (V)LOAD(T, x, start + (index_t)label) - top : nan;
  BARRIER();
  for (index_t i = lane; i < end; i += lanes) {
    const V share = exp((V)LOAD(T, x, start + i) - top) / sum;
    STORE(T, backprop, start + i, is_bad ? nan : i == label ? share - 1 : share);
  }
  if (lane == 0 && end > 0) STORE(T, loss, row, log(sum) - at_label);
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
