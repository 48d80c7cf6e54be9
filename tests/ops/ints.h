#pragma once

#include <initializer_list>

#include "ramet/tensor/tensor.h"

namespace ramet {

inline Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}

}  // namespace ramet
