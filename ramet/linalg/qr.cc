#include "ramet/linalg/qr.h"

#include <Eigen/QR>
#include <algorithm>
#include <complex>

namespace ramet::linalg {

template <class T>
void Qr(int64_t m, int64_t n, const T* a, bool full, T* q, T* r) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::HouseholderQR<Matrix> qr(Eigen::Map<const Matrix>(a, m, n));
  const int64_t p = full ? m : std::min(m, n);
  Eigen::Map<Matrix> q_out(q, m, p), r_out(r, p, n);
  q_out = qr.householderQ() * Matrix::Identity(m, p);
  r_out = qr.matrixQR().topRows(p).template triangularView<Eigen::Upper>();
}

template void Qr(int64_t, int64_t, const float*, bool, float*, float*);
template void Qr(int64_t, int64_t, const double*, bool, double*, double*);
template void Qr(int64_t, int64_t, const std::complex<float>*, bool, std::complex<float>*,
                 std::complex<float>*);
template void Qr(int64_t, int64_t, const std::complex<double>*, bool, std::complex<double>*,
                 std::complex<double>*);

}  // namespace ramet::linalg
