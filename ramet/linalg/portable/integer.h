#pragma once

#include <cstdint>
#include <type_traits>

namespace ramet::linalg::portable {

// The unsigned type in which arithmetic on T wraps without promotion to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

template <class T>
constexpr T WrapMul(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
constexpr T WrapAdd(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
constexpr T WrapSub(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
constexpr T WrapNeg(T a) {
  return WrapSub(T(0), a);
}

}  // namespace ramet::linalg::portable
