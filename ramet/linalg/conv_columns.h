#pragma once

#include "ramet/linalg/conv_args.h"

// Convolutions as matrix products. Internal to linalg.
namespace ramet::linalg {

// Runs on matrices of patches and Gemm. Channels last; float, double, int32.
void ColumnConv(ConvKind kind, Type type, const ConvGeometry& g, const ConvOperands& operands);

}  // namespace ramet::linalg
