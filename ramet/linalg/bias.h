#pragma once

#include <cstdint>

#include "ramet/linalg/conv.h"
#include "ramet/linalg/types.h"

// Biases, added while the result that they belong to is still in the cache. Uses the calling
// thread's intra-op threads. Nothing is allocated in the steady state.

namespace ramet::linalg {

// y[r, i] += bias[i] for rows of n elements, and then Relu with `relu`: the bits of Binary and
// Unary. HasBinary(kAdd) and, with relu, HasUnary(kRelu) must hold.
void AddBias(Type type, int64_t rows, int64_t n, const void* bias, bool relu, void* y);

// Conv, and then AddBias for each of its output channels, a few images at a time. HasConv must
// hold; g.channels_first must not.
void ConvBias(Type type, const ConvGeometry& g, const void* x, const void* filter, const void* bias,
              bool relu, void* y);

}  // namespace ramet::linalg
