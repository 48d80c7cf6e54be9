#include "ramet/linalg/qr.h"

#include <Eigen/QR>
#include <algorithm>
#include <complex>
#include <vector>

#include "ramet/linalg/widen.h"

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
template void Qr(int64_t, int64_t, const Complex128*, bool, Complex128*, Complex128*);

template <>
void Qr(int64_t m, int64_t n, const Complex64* a, bool full, Complex64* q, Complex64* r) {
  const int64_t p = full ? m : std::min(m, n);
  std::vector<Complex128> wide_q(m * p), wide_r(p * n);
  Qr(m, n, Widen(a, m * n).data(), full, wide_q.data(), wide_r.data());
  Narrow(wide_q, q);
  Narrow(wide_r, r);
}

}  // namespace ramet::linalg
