#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: X, S and Y, the tags of operand, sums and result; OP, a linalg::ReduceOp; MAP, what
// is reduced: 0 for x, 1 for x * x. A program that fuses element-wise ops into the reduction starts
// with definitions of OPERANDS, the parameters, and ELEMENT(p), the element of the operand at p.
//
// A work group of 128 items computes 128 / lanes elements of the result; `lanes` items share one.
// Items next to each other read neighbors in memory: elements of the result if the innermost
// dimension is kept, otherwise elements of the reduced dimensions. The groups of dimension 1 each
// reduce a chunk, and write row GROUP_ID(1) of y.
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
typedef struct {
  i64 kept[4], kept_strides[4], reduced[4], reduced_strides[4];
  i32 num_kept, num_reduced;
} Dims;

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

#ifndef OPERANDS
#define OPERANDS GLOBAL const STORED(X)* x
#define ELEMENT(p) LOAD(X, x, p)
#endif
KERNEL(reduce)(OPERANDS, GLOBAL STORED(Y)* y, Dims d, index_t outputs, index_t count, index_t chunk,
               int lanes, int neighbors_are_reduced, i64 divisor) {
  LOCAL V parts[128];
  const int item = LOCAL_ID(0);
  const int per_group = 128 / lanes;
  const int lane = neighbors_are_reduced ? item % lanes : item / per_group;
  const int at = neighbors_are_reduced ? item / lanes : item % per_group;
  const index_t output = (index_t)GROUP_ID(0) * per_group + at;
  const index_t begin = (index_t)GROUP_ID(1) * chunk;
  const index_t end = begin + chunk < count ? begin + chunk : count;
  V sum = 0;
  int is_first = 1;
  if (output < outputs) {
    index_t start = 0;
    index_t rest = output;
    for (int k = d.num_kept - 1; k >= 0; --k) {
      const index_t next = rest / (index_t)d.kept[k];
      start += (rest - next * (index_t)d.kept[k]) * (index_t)d.kept_strides[k];
      rest = next;
    }
    for (index_t i = begin + lane; i < end; i += lanes) {
      index_t p = start;
      rest = i;
      for (int k = d.num_reduced - 1; k > 0; --k) {
        const index_t next = rest / (index_t)d.reduced[k];
        p += (rest - next * (index_t)d.reduced[k]) * (index_t)d.reduced_strides[k];
        rest = next;
      }
      p += rest * (index_t)d.reduced_strides[0];
      V v = (V)ELEMENT(p);
#if MAP == 1
      v = v * v;
#endif
      sum = is_first ? v : join(sum, v);
      is_first = 0;
    }
  }
  parts[item] = sum;
  BARRIER();
  const int step = neighbors_are_reduced ? 1 : per_group;
  const index_t filled = end - begin < lanes ? end - begin : lanes;
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
