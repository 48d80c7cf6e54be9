#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses products and convolutions with a batch normalization for inference that alone reads their
// output, whether it is one op or spelled out as sums and products with one number per channel,
// and with the bias before it and the sum and Relu after it.
void FoldBatchNorms(FusionBuilder* builder);

}  // namespace ramet
