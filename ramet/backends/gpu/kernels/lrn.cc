#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of the images. An item computes one element from its neighbors, which are
// at most `radius` away in a row of `depth` elements.
const Program kLrnProgram = {"lrn", R"(
#define FOR_NEIGHBORS(k, i)                                                              \
  const index_t column = i % depth;                                                      \
  const index_t first = column < radius ? i - column : i - radius;                       \
  const index_t last = depth - 1 - column < radius ? i + depth - 1 - column : i + radius; \
  for (index_t k = first; k <= last; ++k)
FUNCTION f32 norm_at(GLOBAL const STORED(T)* x, index_t i, index_t depth, index_t radius, f32 bias,
                     f32 alpha) {
  f32 sum = 0;
  FOR_NEIGHBORS(k, i) {
    const f32 v = LOAD(T, x, k);
    sum += v * v;
  }
  return bias + alpha * sum;
}
// Returns norm^-beta.
FUNCTION f32 power_of(f32 norm, f32 beta) {
  if (beta == 0.5f) return 1.0f / sqrt(norm);
  if (beta == 1.0f) return 1.0f / norm;
  return exp(-beta * log(norm));
}
KERNEL(lrn)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, index_t depth, index_t radius, f32 bias,
            f32 alpha, f32 beta, index_t n) {
  FOR_EACH(i, n) {
    const f32 norm = norm_at(x, i, depth, radius, bias, alpha);
    STORE(T, y, i, LOAD(T, x, i) * power_of(norm, beta));
  }
}
KERNEL(lrn_norms)(GLOBAL const STORED(T)* x, GLOBAL f32* norms, index_t depth, index_t radius,
                  f32 bias, f32 alpha, index_t n) {
  FOR_EACH(i, n) norms[i] = norm_at(x, i, depth, radius, bias, alpha);
}
KERNEL(lrn_grad)(GLOBAL const STORED(T)* dy, GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* y,
                 GLOBAL const f32* norms, GLOBAL STORED(T)* dx, index_t depth, index_t radius,
                 f32 alpha, f32 beta, index_t n) {
  FOR_EACH(i, n) {
    f32 sum = 0;
    FOR_NEIGHBORS(k, i) sum += LOAD(T, dy, k) * LOAD(T, y, k) / norms[k];
    const f32 direct = LOAD(T, dy, i) * power_of(norms[i], beta);
    STORE(T, dx, i, direct + -2.0f * alpha * beta * LOAD(T, x, i) * sum);
  }
}
)"};

}  // namespace ramet::gpu
