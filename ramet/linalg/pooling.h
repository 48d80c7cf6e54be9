#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Pooling over windows of up to three spatial dimensions, each channel by itself, and its
// gradients. Elements outside the image are left out. half and bfloat16 calculate in float. Uses
// the calling thread's intra-op threads; the same bits for any number of them. Nothing is allocated
// in the steady state.

namespace ramet::linalg {

// The sizes of a pooling; spatial dimensions are depth, height, width (1 where there is none). A
// plain value.
struct PoolGeometry {
  int64_t batch = 1;
  int64_t channels = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t window[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  // How far the first window begins before the image.
  int64_t pad[3] = {0, 0, 0};
  // Images are [batch, channels, spatial...], not [batch, spatial..., channels].
  bool channels_first = false;

  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
};

// R = int8..int64, uint8..uint64, half, bfloat16, float, double; F = the last four.

// y = the largest element of each window (R): NaNs are passed over; the lowest number where there
// is nothing else.
void MaxPool(Type type, const PoolGeometry& g, const void* x, void* y);
// The first of the largest elements, and the number of its pixel in its image (R; a NaN that comes
// first stays); -1 for an empty window. Channels last.
void MaxPoolWithArgmax(Type type, const PoolGeometry& g, const void* x, void* y, int64_t* argmax);
// dx: dy goes to the first of the largest elements of its window (R).
void MaxPoolGrad(Type type, const PoolGeometry& g, const void* x, const void* dy, void* dx);
// ddy: what arrives at the first of the largest elements of each window (R).
void MaxPoolGradGrad(Type type, const PoolGeometry& g, const void* x, const void* ddx, void* ddy);

// y = the mean of the elements of each window that are inside (F).
void AvgPool(Type type, const PoolGeometry& g, const void* x, void* y);
void AvgPoolGrad(Type type, const PoolGeometry& g, const void* dy, void* dx);

}  // namespace ramet::linalg
