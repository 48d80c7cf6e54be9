#include "ramet/backends/gpu/kernels/kernels.h"

namespace ramet::gpu {

// Definitions: T, the tag of the images. All other operands are floats, one per channel.
const Program kNormProgram = {"batch norm", R"(
KERNEL(normalize_batch)(GLOBAL const STORED(T)* x, GLOBAL const f32* mean, GLOBAL const f32* variance,
                  GLOBAL const f32* scale, GLOBAL const f32* offset, GLOBAL STORED(T)* y,
                  f32 epsilon, index_t channels, index_t inner, index_t n) {
  FOR_EACH(i, n) {
    const index_t c = i / inner % channels;
    const f32 factor = scale[c] / sqrt(variance[c] + epsilon);
    STORE(T, y, i, (LOAD(T, x, i) - mean[c]) * factor + offset[c]);
  }
}
// Averages the moments of a batch with the old ones, unless `factor` is 1.
KERNEL(running)(GLOBAL const f32* old_mean, GLOBAL const f32* old_variance,
                GLOBAL const f32* batch_mean, GLOBAL const f32* batch_variance, GLOBAL f32* mean,
                GLOBAL f32* variance, f32 factor, f32 unbiased, index_t channels) {
  FOR_EACH(c, channels) {
    f32 m = batch_mean[c];
    f32 v = batch_variance[c] * unbiased;
    if (factor != 1.0f) {
      m = (1.0f - factor) * old_mean[c] + factor * m;
      v = (1.0f - factor) * old_variance[c] + factor * v;
    }
    mean[c] = m;
    variance[c] = v;
  }
}
// Turns the sums of dy * (x - mean) into the gradients for the scale.
KERNEL(scale_gradient)(GLOBAL const f32* sums, GLOBAL const f32* variance, GLOBAL f32* dscale,
                       f32 epsilon, index_t channels) {
  FOR_EACH(c, channels) dscale[c] = sums[c] / sqrt(variance[c] + epsilon);
}
// The moments depend on x if count > 0, the number of elements per channel.
KERNEL(x_gradient)(GLOBAL const STORED(T)* x, GLOBAL const STORED(T)* dy, GLOBAL const f32* mean,
                   GLOBAL const f32* variance, GLOBAL const f32* scale, GLOBAL const f32* dscale,
                   GLOBAL const f32* doffset, GLOBAL STORED(T)* dx, f32 epsilon, index_t channels,
                   index_t inner, index_t count, index_t n) {
  FOR_EACH(i, n) {
    const index_t c = i / inner % channels;
    const f32 root = sqrt(variance[c] + epsilon);
    f32 v = LOAD(T, dy, i);
    if (count > 0) {
      v -= doffset[c] / (f32)count + (LOAD(T, x, i) - mean[c]) / root * (dscale[c] / (f32)count);
    }
    STORE(T, dx, i, scale[c] / root * v);
  }
}
)"};

}  // namespace ramet::gpu
