#pragma once

// Eigen's decomposition takes long to compile, so each type has its own file. A decomposition of
// any layout contains one of a real column-major matrix. Real matrices therefore use that layout,
// and complex ones reuse the instance in the file of their real type.

#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "ramet/linalg/svd.h"

extern template Eigen::JacobiSVD<Eigen::MatrixXf>& Eigen::JacobiSVD<Eigen::MatrixXf>::compute(
    const Eigen::MatrixXf&, unsigned);
extern template Eigen::JacobiSVD<Eigen::MatrixXd>& Eigen::JacobiSVD<Eigen::MatrixXd>::compute(
    const Eigen::MatrixXd&, unsigned);

namespace ramet::linalg {

template <class T>
void Svd(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int64_t p = std::min(m, n), u_columns = full ? m : p, v_columns = full ? n : p;
  unsigned options = 0;
  if (u != nullptr) {
    options = full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                   : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }
  const Eigen::Map<const ByRows> in(a, m, n);
  if (!in.allFinite()) {
    const T nan(std::numeric_limits<typename Eigen::NumTraits<T>::Real>::quiet_NaN());
    std::fill_n(s, p, nan);
    if (u != nullptr) std::fill_n(u, m * u_columns, nan);
    if (u != nullptr) std::fill_n(v, n * v_columns, nan);
    return;
  }
  const Eigen::BDCSVD<Matrix> svd(in, options);
  for (int64_t i = 0; i < p; ++i) s[i] = T(svd.singularValues()[i]);
  if (u == nullptr) return;
  Eigen::Map<ByRows>(u, m, u_columns) = svd.matrixU();
  Eigen::Map<ByRows>(v, n, v_columns) = svd.matrixV();
}

}  // namespace ramet::linalg
