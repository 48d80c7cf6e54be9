#pragma once

#include <ramet/ramet.h>

#include <vector>

namespace ramet {

inline std::vector<float> Floats(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.num_elements()};
}

}  // namespace ramet
