#include "ramet/linalg/matrix_sqrt.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <unsupported/Eigen/MatrixFunctions>

namespace ramet::linalg {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The Schur form u * t * u^H from which the root is computed. Eigen requires finite values (with
// NaN its complex iteration reads before the matrix) and an iteration that converges (only then do
// the blocks of a real form have one or two rows).
template <class Wide>
using Schur = std::conditional_t<Eigen::NumTraits<Wide>::IsComplex,
                                 Eigen::ComplexSchur<Matrix<Wide>>, Eigen::RealSchur<Matrix<Wide>>>;

// Reports whether a Schur form is finite, triangular but for blocks of two, and, if it is real,
// without negative eigenvalues, which have no real root. Eigen asserts all of these.
template <class Wide>
bool HasRoot(const Matrix<Wide>& t) {
  if (!t.allFinite()) return false;
  if constexpr (!Eigen::NumTraits<Wide>::IsComplex) {
    const auto is_coupled = [&](int64_t i) { return i > 0 && i < t.rows() && t(i, i - 1) != 0; };
    for (int64_t i = 0; i < t.rows(); ++i) {
      if (is_coupled(i) && is_coupled(i + 1)) return false;
      if (!is_coupled(i) && !is_coupled(i + 1) && t(i, i) < 0) return false;
    }
  }
  return true;
}

// Returns the square of a power of two by which the matrix is divided, so that no product of two
// elements overflows or underflows. It is 1 for ordinary matrices, whose bits do not change.
double ScaleFor(double largest) {
  constexpr int kExponent = 400;
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  return std::abs(exponent) < kExponent ? 1 : std::ldexp(1.0, exponent / 2 * 2);
}

// Returns false if there is no Schur form.
template <class Wide>
bool RootOfFinite(const Matrix<Wide>& in, Matrix<Wide>* out) {
  const Schur<Wide> schur(in);
  if (schur.info() != Eigen::Success || !HasRoot<Wide>(schur.matrixT())) return false;
  const Matrix<Wide>& u = schur.matrixU();
  Matrix<Wide> root = Matrix<Wide>::Zero(in.rows(), in.cols());
  if constexpr (Eigen::NumTraits<Wide>::IsComplex) {
    Eigen::matrix_sqrt_triangular(schur.matrixT(), root);
    out->noalias() = u * (root.template triangularView<Eigen::Upper>() * u.adjoint());
  } else {
    Eigen::matrix_sqrt_quasi_triangular(schur.matrixT(), root);
    out->noalias() = u * root * u.adjoint();
  }
  return true;
}

// Returns `in` preceded by a row and a column of the identity. The tenth step of Eigen 3.4's
// complex iteration reads the row above the first two, which then exists.
template <class Wide>
Matrix<Wide> WithRowAbove(const Matrix<Wide>& in) {
  Matrix<Wide> padded = Matrix<Wide>::Zero(in.rows() + 1, in.cols() + 1);
  padded(0, 0) = Wide(1);
  padded.bottomRightCorner(in.rows(), in.cols()) = in;
  return padded;
}

// Returns false if there is no Schur form.
template <class Wide>
bool Root(Matrix<Wide> in, Matrix<Wide>* out) {
  if (!in.allFinite()) return false;
  const double scale = ScaleFor(in.cwiseAbs().maxCoeff());
  // Not a division, which overflows for complex numbers in Eigen's packets.
  if (scale != 1) in *= 1 / scale;
  if constexpr (Eigen::NumTraits<Wide>::IsComplex) {
    Matrix<Wide> root(in.rows() + 1, in.cols() + 1);
    if (!RootOfFinite<Wide>(WithRowAbove<Wide>(in), &root)) return false;
    *out = root.bottomRightCorner(in.rows(), in.cols());
  } else if (!RootOfFinite<Wide>(in, out)) {
    return false;
  }
  if (scale != 1) *out *= std::sqrt(scale);
  return true;
}

// Computes in double for all types, because Eigen's functions take long to compile.
template <class Wide, class T>
void ComputeIn(int64_t n, const T* a, T* y) {
  Matrix<Wide> root(n, n);
  if (!Root<Wide>(Eigen::Map<const Matrix<T>>(a, n, n).template cast<Wide>(), &root)) {
    root.setConstant(Wide(std::numeric_limits<double>::quiet_NaN()));
  }
  Eigen::Map<Matrix<T>>(y, n, n) = root.template cast<T>();
}

}  // namespace

template <>
void MatrixSqrt(int64_t n, const float* a, float* y) {
  ComputeIn<double>(n, a, y);
}
template <>
void MatrixSqrt(int64_t n, const double* a, double* y) {
  ComputeIn<double>(n, a, y);
}
template <>
void MatrixSqrt(int64_t n, const std::complex<float>* a, std::complex<float>* y) {
  ComputeIn<std::complex<double>>(n, a, y);
}
template <>
void MatrixSqrt(int64_t n, const std::complex<double>* a, std::complex<double>* y) {
  ComputeIn<std::complex<double>>(n, a, y);
}

}  // namespace ramet::linalg
