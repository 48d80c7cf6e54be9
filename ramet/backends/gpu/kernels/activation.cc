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

}  // namespace ramet::gpu
