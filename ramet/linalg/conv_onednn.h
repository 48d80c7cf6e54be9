#pragma once

#include <functional>

#include "ramet/linalg/conv_args.h"

// Convolutions as primitives of oneDNN. Internal to linalg.
namespace ramet::linalg {

// Runs on oneDNN; float only. Returns false if oneDNN has no fast code; the result is then
// undefined.
bool OneDnnConv(ConvKind kind, const ConvGeometry& g, const ConvOperands& operands);

// Runs a forward convolution on the calling thread, `step` images at a time, and calls done(begin,
// end) after images [begin, end). Returns false, with no side effects, if oneDNN has no fast code.
// Returns early if StopDue().
bool OneDnnConvInPieces(const ConvGeometry& g, const ConvOperands& operands, int64_t step,
                        const std::function<void(int64_t, int64_t)>& done);

}  // namespace ramet::linalg
