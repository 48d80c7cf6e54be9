#include "ramet/linalg/factor.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <complex>
#include <limits>

namespace ramet::linalg {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using In = Eigen::Map<const Matrix<T>>;
template <class T>
using Out = Eigen::Map<Matrix<T>>;

template <class T>
bool Invertible(const Eigen::PartialPivLU<Matrix<T>>& lu) {
  return lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

}  // namespace

template <class T>
bool Factor<T>::Cholesky(int64_t n, const T* a, T* l) {
  const Eigen::LLT<Matrix<T>> factor(In<T>(a, n, n));
  if (factor.info() != Eigen::Success) return false;
  Out<T>(l, n, n) = factor.matrixL();
  return true;
}

template <class T>
void Factor<T>::CholeskyGrad(int64_t n, const T* l, const T* grad, T* out) {
  const Matrix<T> lower = In<T>(l, n, n).template triangularView<Eigen::Lower>();
  Matrix<T> middle = lower.adjoint() * In<T>(grad, n, n).template triangularView<Eigen::Lower>();
  middle.diagonal() *= T(0.5);
  const Matrix<T> below = middle.template triangularView<Eigen::Lower>();
  const auto solver = lower.adjoint().template triangularView<Eigen::Upper>();
  const Matrix<T> half = solver.solve(below);
  const Matrix<T> whole = solver.solve(half.adjoint().eval());
  Out<T>(out, n, n) = (whole + whole.adjoint()) * T(0.5);
}

template <class T>
bool Factor<T>::Lu(int64_t n, const T* a, T* lu, int64_t* p) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> factor(In<T>(a, n, n));
  Out<T>(lu, n, n) = factor.matrixLU();
  const auto& to = factor.permutationP().indices();
  for (int64_t i = 0; i < n; ++i) p[to[i]] = i;
  return Invertible<T>(factor);
}

template <class T>
void Factor<T>::LogDeterminant(int64_t n, const T* a, T* sign, T* log) {
  *sign = T(1);
  *log = T(0);
  if (n == 0) return;
  const Eigen::PartialPivLU<Matrix<T>> factor(In<T>(a, n, n));
  *sign = T(factor.permutationP().determinant());
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = factor.matrixLU()(i, i);
    const auto size = std::abs(pivot);
    *log += T(std::log(size));
    *sign = size == 0 ? T(0) : *sign * (pivot / size);
  }
}

template <class T>
bool Factor<T>::Inverse(int64_t n, const T* a, bool adjoint, T* out) {
  if (n == 0) return true;
  const Matrix<T> matrix =
      adjoint ? Matrix<T>(In<T>(a, n, n).adjoint()) : Matrix<T>(In<T>(a, n, n));
  const Eigen::PartialPivLU<Matrix<T>> factor(matrix);
  if (!Invertible<T>(factor)) return false;
  Out<T>(out, n, n) = factor.inverse();
  return true;
}

template <class T>
bool Factor<T>::Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> factor(In<T>(a, n, n));
  if (!Invertible<T>(factor)) return false;
  if (adjoint) {
    Out<T>(x, n, k) = factor.adjoint().solve(In<T>(b, n, k));
  } else {
    Out<T>(x, n, k) = factor.solve(In<T>(b, n, k));
  }
  return true;
}

template <class T>
void Factor<T>::TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint,
                                const T* b, T* x) {
  const In<T> matrix(a, n, n);
  Out<T> result(x, n, k);
  result = In<T>(b, n, k);
  if (n == 0 || k == 0) return;
  if (lower && adjoint) {
    matrix.template triangularView<Eigen::Lower>().adjoint().solveInPlace(result);
  } else if (lower) {
    matrix.template triangularView<Eigen::Lower>().solveInPlace(result);
  } else if (adjoint) {
    matrix.template triangularView<Eigen::Upper>().adjoint().solveInPlace(result);
  } else {
    matrix.template triangularView<Eigen::Upper>().solveInPlace(result);
  }
}

template struct Factor<float>;
template struct Factor<double>;
template struct Factor<std::complex<float>>;
template struct Factor<std::complex<double>>;

}  // namespace ramet::linalg
