#include "ramet/linalg/spectral.h"

#include <Eigen/Eigenvalues>
#include <complex>

namespace ramet::linalg {

template <class T>
bool Spectral<T>::SelfAdjointEig(int64_t n, const T* a, T* e, T* v) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (n == 0) return true;
  const Eigen::Map<const Matrix> in(a, n, n);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      in, v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  for (int64_t i = 0; i < n; ++i) e[i] = T(solver.eigenvalues()[i]);
  if (v != nullptr) Eigen::Map<Matrix>(v, n, n) = solver.eigenvectors();
  return true;
}

template struct Spectral<float>;
template struct Spectral<double>;
template struct Spectral<std::complex<float>>;
template struct Spectral<std::complex<double>>;

}  // namespace ramet::linalg
