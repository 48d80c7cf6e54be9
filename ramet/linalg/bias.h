#pragma once

#include <cstdint>

#include "ramet/linalg/channel_epilogue.h"
#include "ramet/linalg/conv.h"
#include "ramet/linalg/types.h"

// Adds biases while the result that they are added to is still in the cache. Uses the calling
// thread's intra-op threads. Allocates nothing in the steady state.

namespace ramet::linalg {

// y[r, i] += bias[i] for rows of n elements, followed by Relu with `relu`. Same bits as Binary and
// Unary. HasBinary(kAdd) and, with relu, HasUnary(kRelu) must hold.
void AddBias(Type type, int64_t rows, int64_t n, const void* bias, bool relu, void* y);

// Conv followed by AddBias over the output channels, a few images at a time. HasConv must hold;
// g.channels_first must be false.
void ConvBias(Type type, const ConvGeometry& g, const void* x, const void* filter, const void* bias,
              bool relu, void* y);

// y = epilogue(Conv), of floats, in one pass over y if that is faster. g.channels_first must be
// false.
void ConvWithEpilogue(const ConvGeometry& g, const float* x, const float* filter,
                      const ChannelEpilogue& epilogue, float* y);

}  // namespace ramet::linalg
