#include "ramet/linalg/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <complex>

namespace ramet::linalg {
namespace {

template <class T>
using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Returns the factor of a^H * a (or a * a^H if there are fewer rows) + l2 * identity.
template <class T>
Eigen::LLT<Dense<T>> GramianFactor(const Eigen::Map<const Dense<T>>& a, bool tall, double l2) {
  Dense<T> gramian = tall ? Dense<T>(a.adjoint() * a) : Dense<T>(a * a.adjoint());
  if (l2 > 0) gramian.diagonal().array() += T(l2);
  return Eigen::LLT<Dense<T>>(gramian);
}

}  // namespace

template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x) {
  const Eigen::Map<const Dense<T>> matrix(a, m, n), rhs(b, m, k);
  Eigen::Map<Dense<T>> out(x, n, k);
  if (!fast) {
    out = Eigen::CompleteOrthogonalDecomposition<Dense<T>>(matrix).solve(rhs);
    return true;
  }
  const bool tall = m >= n;
  const Eigen::LLT<Dense<T>> factor = GramianFactor<T>(matrix, tall, l2);
  if (factor.info() != Eigen::Success) return false;
  if (tall) {
    out.noalias() = matrix.adjoint() * rhs;
    factor.solveInPlace(out);
  } else {
    const Dense<T> solved = factor.solve(rhs);
    out.noalias() = matrix.adjoint() * solved;
  }
  return true;
}

template bool LeastSquares(int64_t, int64_t, int64_t, const float*, const float*, double, bool,
                           float*);
template bool LeastSquares(int64_t, int64_t, int64_t, const double*, const double*, double, bool,
                           double*);
template bool LeastSquares(int64_t, int64_t, int64_t, const std::complex<float>*,
                           const std::complex<float>*, double, bool, std::complex<float>*);
template bool LeastSquares(int64_t, int64_t, int64_t, const std::complex<double>*,
                           const std::complex<double>*, double, bool, std::complex<double>*);

}  // namespace ramet::linalg
