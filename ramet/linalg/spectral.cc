#include "ramet/linalg/spectral.h"

#include <Eigen/Eigenvalues>
#include <complex>
#include <vector>

#include "ramet/linalg/widen.h"

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
template struct Spectral<Complex128>;

template <>
bool Spectral<Complex64>::SelfAdjointEig(int64_t n, const Complex64* a, Complex64* e,
                                         Complex64* v) {
  std::vector<Complex128> wide_e(n), wide_v(v != nullptr ? n * n : 0);
  if (!Spectral<Complex128>::SelfAdjointEig(n, Widen(a, n * n).data(), wide_e.data(),
                                            v != nullptr ? wide_v.data() : nullptr)) {
    return false;
  }
  Narrow(wide_e, e);
  Narrow(wide_v, v);
  return true;
}

}  // namespace ramet::linalg
