#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Batch normalization: each channel of x is brought to mean 0 and variance 1, scaled and moved. x
// is half, bfloat16 or float; mean, variance, scale and offset are float, one number a channel. The
// same bits for any number of intra-op threads; nothing is allocated in the steady state.

namespace ramet::linalg {

// x is [outer, channels, inner]; inner is 1 where channels come last. A plain value.
struct NormGeometry {
  int64_t outer;
  int64_t channels;
  int64_t inner;

  int64_t elements() const { return outer * channels * inner; }
  // Elements of a channel.
  int64_t count() const { return outer * inner; }
};

// The mean and the (biased) variance of each channel; there is at least one element.
void BatchMoments(Type type, const NormGeometry& g, const void* x, float* mean, float* variance);

// y = (x - mean) * scale / sqrt(variance + epsilon) + offset. y may be x.
void BatchNormalize(Type type, const NormGeometry& g, const void* x, const float* mean,
                    const float* variance, float epsilon, const float* scale, const float* offset,
                    void* y);

// The gradients for x, scale and offset, for dy that arrives at y; with `training`, mean and
// variance are those of x and change with it. dx may be dy.
void BatchNormGrad(Type type, const NormGeometry& g, const void* x, const void* dy,
                   const float* mean, const float* variance, float epsilon, const float* scale,
                   bool training, void* dx, float* dscale, float* doffset);

}  // namespace ramet::linalg
