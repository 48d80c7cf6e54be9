#pragma once

#include <functional>

#include "ramet/linalg/conv.h"

// Internal to linalg: the implementations of convolution.

namespace ramet::linalg {

enum class ConvKind : int { kForward, kBackpropInput, kBackpropFilter };
inline constexpr int kNumConvKinds = 3;

// The three operands. The result of the kind (y, x or filter) is written.
struct ConvOperands {
  void* x;
  void* filter;
  void* y;
};

// Runs on oneDNN; float only. Returns false if oneDNN has no fast code; the result is then
// undefined.
bool OneDnnConv(ConvKind kind, const ConvGeometry& g, const ConvOperands& operands);

// Runs a forward convolution on the calling thread, `step` images at a time, and calls done(begin,
// end) after images [begin, end). Returns false, with no side effects, if oneDNN has no fast code.
bool OneDnnConvInPieces(const ConvGeometry& g, const ConvOperands& operands, int64_t step,
                        const std::function<void(int64_t, int64_t)>& done);

// Runs on matrices of patches and Gemm. Channels last; float, double, int32.
void ColumnConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

// Runs with one input channel per group and at least one output channel, no depth, channels last;
// float, double.
void DepthwiseConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

}  // namespace ramet::linalg
