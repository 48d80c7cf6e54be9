#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Pooling over windows of up to three spatial dimensions, separately for each channel, and its
// gradients. Elements outside the image are ignored. half and bfloat16 are computed in float. Uses
// the calling thread's intra-op threads, with the same bits for any number of them. Allocates
// nothing in the steady state.

namespace ramet::linalg {

// The sizes of a pooling operation. Spatial dimensions are depth, height and width; unused ones are
// 1. A plain value.
struct PoolGeometry {
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t window[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  // How far before the image the first window starts.
  int64_t pad[3] = {0, 0, 0};
  // Images are [batch, channels, spatial...], not [batch, spatial..., channels].
  bool channels_first = false;

  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
};

// R = int8..int64, uint8..uint64, half, bfloat16, float, double; F = the last four.

// y = the largest element of each window (R). NaNs are ignored; without other elements it is the
// lowest number.
void MaxPool(Type type, const PoolGeometry& g, const void* x, void* y);
// Also returns the index of the pixel with the first of the largest elements in its image (R), or
// -1 for an empty window. A NaN in the first element is the result. Channels last.
void MaxPoolWithArgmax(Type type, const PoolGeometry& g, const void* x, void* y, int64_t* argmax);
// Computes dx: dy is added at the first of the largest elements of each window (R).
void MaxPoolGrad(Type type, const PoolGeometry& g, const void* x, const void* dy, void* dx);
// Computes ddy: ddx at the first of the largest elements of each window (R).
void MaxPoolGradGrad(Type type, const PoolGeometry& g, const void* x, const void* ddx, void* ddy);

// y = the mean of the elements of each window that are inside the image (F).
void AvgPool(Type type, const PoolGeometry& g, const void* x, void* y);
void AvgPoolGrad(Type type, const PoolGeometry& g, const void* dy, void* dx);

}  // namespace ramet::linalg
