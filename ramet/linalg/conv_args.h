#pragma once

#include <functional>

#include "ramet/linalg/conv.h"

// Internal to linalg: the ways to compute a convolution.

namespace ramet::linalg {

enum class ConvKind : int { kForward, kBackpropInput, kBackpropFilter };
inline constexpr int kNumConvKinds = 3;

// The three operands; the one that the kind is about is written.
struct ConvOperands {
  void* x;
  void* filter;
  void* y;
};

// On oneDNN, float only. False if it has no quick code for this one: nothing of use is written
// then.
bool OneDnnConv(ConvKind kind, const ConvGeometry& g, const ConvOperands& operands);

// The forward one on the calling thread, `step` images at a time; calls done(begin, end) after
// images [begin, end). False, with nothing done, if oneDNN has no quick code.
bool OneDnnConvInPieces(const ConvGeometry& g, const ConvOperands& operands, int64_t step,
                        const std::function<void(int64_t, int64_t)>& done);

// By matrices of patches and Gemm; channels last. float, double, int32.
void ColumnConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

// One input channel a group and at least one output channel, no depth, channels last. float,
// double.
void DepthwiseConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

}  // namespace ramet::linalg
