#pragma once

#include "ramet/linalg/conv.h"

// The gradient of a convolution's filter for floats with channels last, without
// matrices of patches. Same bits for any number of threads. Internal to linalg.

namespace ramet::linalg {

// Computes dfilter from dy, the gradient of y. Returns false, with no side
// effects, if oneDNN is faster, or if bits must not depend on which of the two
// runs (SetDeterministic). Uses the calling thread's intra-op threads. Returns
// early if StopDue().
bool DirectFilterGradient(const ConvGeometry& g, const float* x, const float* dy, float* dfilter);
// Computes the same for any geometry with channels last, one group and a number of output channels
// that is a multiple of KernelTable::conv.lanes.
void FilterGradientOf(const ConvGeometry& g, const float* x, const float* dy, float* dfilter);

}  // namespace ramet::linalg
