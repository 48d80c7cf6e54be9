#pragma once

#include "ramet/tensor/tensor.h"

namespace ramet {

// A tensor of a floating dtype in another one, rounded to nearest even as Cast does. Both dtypes
// are floating; the tensor is in host memory. \error as Tensor::Allocate.
StatusOr<Tensor> ConvertFloating(const Tensor& tensor, DType to);

}  // namespace ramet
