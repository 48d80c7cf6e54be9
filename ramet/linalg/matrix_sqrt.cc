#include <complex>
#include <unsupported/Eigen/MatrixFunctions>

#include "ramet/linalg/decompose.h"

namespace ramet::linalg {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// In double precision, for all types: Eigen's function takes long to compile.
template <class Wide, class T>
void ComputeIn(int64_t n, const T* a, T* y) {
  const Matrix<Wide> in = Eigen::Map<const Matrix<T>>(a, n, n).template cast<Wide>();
  const Matrix<Wide> root = in.sqrt();
  Eigen::Map<Matrix<T>>(y, n, n) = root.template cast<T>();
}

}  // namespace

template <>
void Decompose<float>::SquareRoot(int64_t n, const float* a, float* y) {
  ComputeIn<double>(n, a, y);
}
template <>
void Decompose<double>::SquareRoot(int64_t n, const double* a, double* y) {
  ComputeIn<double>(n, a, y);
}
template <>
void Decompose<std::complex<float>>::SquareRoot(int64_t n, const std::complex<float>* a,
                                                std::complex<float>* y) {
  ComputeIn<std::complex<double>>(n, a, y);
}
template <>
void Decompose<std::complex<double>>::SquareRoot(int64_t n, const std::complex<double>* a,
                                                 std::complex<double>* y) {
  ComputeIn<std::complex<double>>(n, a, y);
}

}  // namespace ramet::linalg
