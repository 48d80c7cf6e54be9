#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of the dtype; C, the type to compute in.
const Program kLeakyReluProgram = {"leaky relu", R"(
KERNEL(leaky_relu)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, f32 alpha, index_t n) {
  FOR_EACH(i, n) {
    const C v = LOAD(T, x, i);
    STORE(T, y, i, v < 0 ? v * (C)alpha : v);
  }
}
KERNEL(leaky_relu_grad)(GLOBAL const STORED(T)* grad, GLOBAL const STORED(T)* x,
                        GLOBAL STORED(T)* y, f32 alpha, index_t n) {
  FOR_EACH(i, n) {
    const C g = LOAD(T, grad, i);
    STORE(T, y, i, LOAD(T, x, i) > 0 ? g : g * (C)alpha);
  }
}
)"};

// Definitions: T, the tag of the dtype. A bound with a step of 0 is a scalar. A NaN bound has no
// effect.
const Program kClipProgram = {"clip", R"(
KERNEL(clip)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* low, GLOBAL const STORED(T)* high,
             GLOBAL STORED(T)* y, index_t low_step, index_t high_step, index_t n) {
  FOR_EACH(i, n) {
    const VALUE(T) v = LOAD(T, x, i);
    const VALUE(T) least = LOAD(T, low, i * low_step);
    const VALUE(T) most = LOAD(T, high, i * high_step);
    const VALUE(T) below = most < v ? most : v;
    STORE(T, y, i, below < least ? least : below);
  }
}
)"};

}  // namespace ramet::gpu
