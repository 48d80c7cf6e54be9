#pragma once

#include <initializer_list>

#include "ramet/tensor/tensor.h"

// Shared code for tests of variables.
namespace ramet {

// Returns a matrix of one column.
inline Tensor Column(std::initializer_list<float> values) {
  return Tensor::Of(Shape{static_cast<int64_t>(values.size()), 1}, values);
}

}  // namespace ramet
