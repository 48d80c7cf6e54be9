#pragma once

#include "ramet/linalg/conv_args.h"

// Depthwise convolutions. Internal to linalg.
namespace ramet::linalg {

// Runs with one input channel per group and at least one output channel, no depth, channels last;
// float, double.
void DepthwiseConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

}  // namespace ramet::linalg
