#pragma once

#include <Eigen/Core>

#include "ramet/linalg/levels/level.h"

namespace ramet::linalg::RAMET_LEVEL {

// e^x of an Eigen array. Where the result is below the smallest normal number it is 0, as in
// TensorFlow; Eigen's own is not 0 for -inf.
template <class A>
A ExpOf(const A& x) {
  using T = typename A::Scalar;
  const T lowest = sizeof(T) == 4 ? T(-87.33654475) : T(-708.3964185322641);
#if defined(__AVX512F__)
  // Eigen's AVX-512 function for float is inf from 88.38 on, instead of 88.72.
  if constexpr (sizeof(T) == 4) {
    const A excess = (x > T(88)).select(A::Ones(), A::Zero());
    const A scale = (x > T(88)).select(A::Constant(T(2.718281828459045)), A::Ones());
    const A shifted = x - excess;
    const A e = shifted.exp() * scale;
    return (x < lowest).select(A::Zero(), e);
  }
#endif
  const A e = x.exp();
  return (x < lowest).select(A::Zero(), e);
}

}  // namespace ramet::linalg::RAMET_LEVEL
