#pragma once

#include <cmath>
#include <limits>

namespace ramet {

// Returns log(exp(a) + exp(b)). Like TensorFlow, computes the correction in float for each T.
template <class T>
T LogSum(T a, T b) {
  constexpr T kZero = -std::numeric_limits<T>::infinity();
  if (a == kZero) return b;
  if (b == kZero) return a;
  const T most = a > b ? a : b, least = a > b ? b : a;
  return most + static_cast<T>(std::log1p(std::exp(static_cast<float>(least - most))));
}

}  // namespace ramet
