#pragma once

#include "ramet/tensor/tensor.h"

namespace ramet {

// Converts a tensor between floating dtypes, rounding to nearest even like Cast. The tensor is in
// host memory. Errors are those of Tensor::Allocate.
StatusOr<Tensor> ConvertFloating(const Tensor& tensor, DType to);

}  // namespace ramet
