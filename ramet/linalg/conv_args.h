#pragma once

#include "ramet/linalg/conv.h"

// The arguments of the implementations of convolution. Internal to linalg.

namespace ramet::linalg {

enum class ConvKind : int { kForward, kBackpropInput, kBackpropFilter };
inline constexpr int kNumConvKinds = 3;

// The three operands. The result of the kind (y, x or filter) is written.
struct ConvOperands {
  void* x;
  void* filter;
  void* y;
};

}  // namespace ramet::linalg
