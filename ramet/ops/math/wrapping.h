#pragma once

#include <cstdint>
#include <type_traits>

#include "ramet/base/float16.h"

// Arithmetic on one element type. Integer sums, differences and products that overflow wrap around,
// as in TensorFlow; short floats are computed in float.

namespace ramet {

namespace wrapping_internal {

// A type in which arithmetic on T is defined for all values. Small integers use uint32_t because
// int, to which they would be promoted, overflows in the product of two uint16_t.
template <class T>
auto Computable(T x) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    return static_cast<Wide>(x);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

}  // namespace wrapping_internal

template <class T>
T WrappingAdd(T a, T b) {
  return static_cast<T>(wrapping_internal::Computable(a) + wrapping_internal::Computable(b));
}
template <class T>
T WrappingSub(T a, T b) {
  return static_cast<T>(wrapping_internal::Computable(a) - wrapping_internal::Computable(b));
}
template <class T>
T WrappingMul(T a, T b) {
  return static_cast<T>(wrapping_internal::Computable(a) * wrapping_internal::Computable(b));
}

}  // namespace ramet
