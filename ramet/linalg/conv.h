#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Convolutions (cross-correlations, as in TensorFlow) over up to three spatial dimensions, and
// their gradients. float, half and bfloat16 run on oneDNN if libdnnl.so.2 can be loaded (half and
// bfloat16 are converted to float). Other types, and cases for which oneDNN has no fast code, run
// on Gemm. Depthwise convolutions (filters with one input channel per group) have their own loops.
// Uses the calling thread's intra-op threads; with SetDeterministic(true) bits do not depend on
// their number. Scratch memory and oneDNN's primitives are kept per thread, so nothing is allocated
// in the steady state.

namespace ramet::linalg {

// The sizes of a convolution. Spatial dimensions are depth, height and width; unused ones are 1.
// The sizes must fit: out[d] positions in steps of stride[d], starting at -pad[d]. A plain value.
struct ConvGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  // Divides in_channels and out_channels.
  int64_t groups = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t filter[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  // Zeros before the first element.
  int64_t pad[3] = {0, 0, 0};
  // Input and output are [batch, channels, spatial...], not [batch, spatial..., channels]. The
  // filter is always [spatial..., in_channels / groups, out_channels].
  bool channels_first = false;

  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  int64_t taps() const { return filter[0] * filter[1] * filter[2]; }
  int64_t in_elements() const { return batch * in_pixels() * in_channels; }
  int64_t out_elements() const { return batch * out_pixels() * out_channels; }
  int64_t filter_elements() const {
    return groups == 0 ? 0 : taps() * (in_channels / groups) * out_channels;
  }
  bool operator==(const ConvGeometry&) const = default;
};

// Reports whether the functions below support `type`: float, double, half, bfloat16, int32.
bool HasConv(Type type);

// y = conv(x, filter). Results of these functions must not overlap operands.
void Conv(Type type, const ConvGeometry& g, const void* x, const void* filter, void* y);
// Computes dx from dy, the gradient of y.
void ConvBackpropInput(Type type, const ConvGeometry& g, const void* filter, const void* dy,
                       void* dx);
// Computes dfilter from dy, the gradient of y.
void ConvBackpropFilter(Type type, const ConvGeometry& g, const void* x, const void* dy,
                        void* dfilter);

}  // namespace ramet::linalg
