#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: X, S and Y, the tags of operand, sums and result; OP, a linalg::ReduceOp; MAP, what
// is reduced: 0 for x, 1 for x * x; KEPT and REDUCED, the numbers of such dimensions. A program
// that fuses element-wise ops into the reduction starts with definitions of OPERANDS, the
// parameters, and ELEMENT(p), the element of the operand at p.
//
// A work group computes GROUP_SIZE(0) / lanes elements of the result; `lanes` items share one. Both
// are powers of two. Items next to each other read neighbors in memory: elements of the result if
// the innermost dimension is kept, otherwise elements of the reduced dimensions. The groups of
// dimension 1 each reduce a chunk, and write row GROUP_ID(1) of y.
const Program kReduceProgram = {"reduce", R"(
#define SUM 0
#define PROD 1
#define MEAN 2
#define MAX 3
#define MIN 4
#define ALL 5
#define ANY 6
#define SUM_SQUARES 7
typedef VALUE(S) V;
// The outermost dimensions come first. Only the first KEPT and REDUCED are used.
typedef struct { i64 kept[4], kept_strides[4], reduced[4], reduced_strides[4]; } Dims;

FUNCTION V join(V a, V b) {
#if OP == PROD
  return a * b;
#elif OP == MAX
  return b > a || b != b ? b : a;
#elif OP == MIN
  return b < a || b != b ? b : a;
#elif OP == ALL
  return a & b;
#elif OP == ANY
  return a | b;
#else
  return a + b;
#endif
}
FUNCTION V mapped(V v) {
#if MAP == 1
  return v * v;
#else
  return v;
#endif
}
INLINE_FUNCTION index_t kept_position(Dims d, index_t rest) {
  index_t p = 0;
  UNROLL for (int k = KEPT - 1; k > 0; --k) {
    const index_t next = DIVIDE(rest, (index_t)d.kept[k]);
    p += (rest - next * (index_t)d.kept[k]) * (index_t)d.kept_strides[k];
    rest = next;
  }
  return p + rest * (index_t)d.kept_strides[0];
}
INLINE_FUNCTION index_t reduced_position(Dims d, index_t rest) {
  index_t p = 0;
  UNROLL for (int k = REDUCED - 1; k > 0; --k) {
    const index_t next = DIVIDE(rest, (index_t)d.reduced[k]);
    p += (rest - next * (index_t)d.reduced[k]) * (index_t)d.reduced_strides[k];
    rest = next;
  }
  return p + rest * (index_t)d.reduced_strides[0];
}

#ifndef OPERANDS
#define OPERANDS GLOBAL const STORED(X)* x
#define ELEMENT(p) LOAD(X, x, p)
#endif
#define ELEMENT_AT(j) mapped((V)ELEMENT(start + reduced_position(d, j)))
BOUNDED_KERNEL(reduce, 512, 2)(OPERANDS, GLOBAL STORED(Y)* y, Dims d, index_t outputs,
                               index_t count, index_t chunk, int lanes,
                               int neighbors_are_reduced, i64 divisor) {
  LOCAL V parts[512];
  const int item = LOCAL_ID(0);
  const int per_group = GROUP_SIZE(0) / lanes;
  const int lane = neighbors_are_reduced ? item & (lanes - 1) : item / per_group;
  const int at = neighbors_are_reduced ? item / lanes : item & (per_group - 1);
  const index_t output = (index_t)GROUP_ID(0) * per_group + at;
  const index_t begin = (index_t)GROUP_ID(1) * chunk;
  const index_t size = count - begin < chunk ? count - begin : chunk;
  V sum = 0;
  int is_first = 1;
  if (output < outputs) {
    const index_t start = kept_position(d, output);
    // Four elements are loaded before they are joined. Elements after the end are not joined.
    for (index_t left = size - lane; left > 0; left -= 4 * lanes) {
      const index_t i = begin + size - left;
      const V a = ELEMENT_AT(i);
      const V b = ELEMENT_AT(left > lanes ? i + lanes : i);
      const V c = ELEMENT_AT(left > 2 * lanes ? i + 2 * lanes : i);
      const V e = ELEMENT_AT(left > 3 * lanes ? i + 3 * lanes : i);
      V v = left > lanes ? join(a, b) : a;
      if (left > 2 * lanes) v = join(v, left > 3 * lanes ? join(c, e) : c);
      sum = is_first ? v : join(sum, v);
      is_first = 0;
    }
  }
  parts[item] = sum;
  BARRIER();
  const int step = neighbors_are_reduced ? 1 : per_group;
  const index_t filled = size < lanes ? size : lanes;
  for (int width = lanes / 2; width > 0; width /= 2) {
    if (lane < width && lane + width < filled) {
      parts[item] = join(parts[item], parts[item + width * step]);
    }
    BARRIER();
  }
  if (lane == 0 && output < outputs) {
    V result = parts[item];
#if OP == SUM || OP == MEAN || OP == SUM_SQUARES
    result = result / (V)divisor;
#endif
    STORE(Y, y, (index_t)GROUP_ID(1) * outputs + output, result);
  }
}
)"};

// Definitions: X and Y, the tags of operand and result; BETTER(a, b), the comparison; WORST, a
// value that no value is worse than. NaNs are never better.
const Program kArgProgram = {"arg reduce", R"(
KERNEL(arg)(GLOBAL const STORED(X)* x, GLOBAL STORED(Y)* y, index_t count, index_t inner,
            index_t n) {
  FOR_EACH(i, n) {
    const index_t start = i / inner * count * inner + i % inner;
    VALUE(X) best = WORST;
    index_t index = 0;
    for (index_t j = 0; j < count; ++j) {
      const VALUE(X) v = LOAD(X, x, start + j * inner);
      if (BETTER(v, best)) {
        best = v;
        index = j;
      }
    }
    STORE(Y, y, i, (VALUE(Y))index);
  }
}
)"};

}  // namespace ramet::gpu
