#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Batch normalization: normalizes each channel of x to mean 0 and variance 1, then scales and
// shifts it. x is half, bfloat16 or float; mean, variance, scale and offset are float, one number
// per channel. Same bits for any number of intra-op threads. Allocates nothing in the steady state.

namespace ramet::linalg {

// x is [outer, channels, inner]; inner is 1 if channels come last. A plain value.
struct NormGeometry {
  int64_t outer;
  int64_t channels;
  int64_t inner;

  int64_t elements() const { return outer * channels * inner; }
  // Elements per channel.
  int64_t count() const { return outer * inner; }
};

// Computes the mean and the (biased) variance of each channel. There must be at least one element.
void BatchMoments(Type type, const NormGeometry& g, const void* x, float* mean, float* variance);

// y = (x - mean) * scale / sqrt(variance + epsilon) + offset. y may be x.
void BatchNormalize(Type type, const NormGeometry& g, const void* x, const float* mean,
                    const float* variance, float epsilon, const float* scale, const float* offset,
                    void* y);

// Computes the gradients for x, scale and offset from dy, the gradient of y. With `training`, mean
// and variance are those of x and depend on it. dx may be dy.
void BatchNormGrad(Type type, const NormGeometry& g, const void* x, const void* dy,
                   const float* mean, const float* variance, float epsilon, const float* scale,
                   bool training, void* dx, float* dscale, float* doffset);

}  // namespace ramet::linalg
