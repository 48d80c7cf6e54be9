#pragma once

#include <cstdint>

#include "ramet/linalg/channel_epilogue.h"
#include "ramet/linalg/conv.h"

// Convolutions of float images and volumes with channels last, without copies of the input in
// another order: channels are contiguous, so each input element is multiplied by vectors of output
// channels. Only the filter is packed. Padding is skipped, not multiplied. An element's sum has the
// same order of additions for any number of threads and any batch.

namespace ramet::linalg {

// y = epilogue(conv(x, filter)), packing the filter first. Returns false, with no side effects, if
// oneDNN is faster, or if bits must not depend on which of the two runs (SetDeterministic).
bool DirectConv(const ConvGeometry& g, const float* x, const float* filter,
                const ChannelEpilogue& epilogue, float* y);
// Reports whether DirectConv would run. The filter may then be packed before, for ConvPacked.
bool DirectConvPays(const ConvGeometry& g, const ChannelEpilogue& epilogue);
// Computes dx from dy, the gradient of y. Returns false under the same conditions.
bool DirectInputGradient(const ConvGeometry& g, const float* filter, const float* dy, float* dx);

// Returns the number of floats of a packed filter.
int64_t PackedFilterSize(const ConvGeometry& g);
// Packs a filter for ConvPacked.
void PackFilter(const ConvGeometry& g, const float* filter, float* packed);

// Reports whether the gradient of the input is itself a convolution that is fast, and returns it.
bool IsDirectInputGradient(const ConvGeometry& g);
ConvGeometry InputGradient(const ConvGeometry& g);

// y = epilogue(conv(x, filter)). Uses the calling thread's intra-op threads. Returns early if
// StopDue().
void ConvPacked(const ConvGeometry& g, const float* x, const float* packed,
                const ChannelEpilogue& epilogue, float* y);

}  // namespace ramet::linalg
