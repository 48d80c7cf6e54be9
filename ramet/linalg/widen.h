#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

namespace ramet::linalg {

// Conversions for the decompositions of complex64, which compute in complex128 because Eigen takes
// long to compile for a complex type. No accuracy is lost.
using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

inline std::vector<Complex128> Widen(const Complex64* a, int64_t count) {
  return std::vector<Complex128>(a, a + count);
}

inline void Narrow(const std::vector<Complex128>& wide, Complex64* out) {
  std::transform(wide.begin(), wide.end(), out, [](Complex128 z) { return Complex64(z); });
}

}  // namespace ramet::linalg
