#pragma once

// Eigen's decomposition takes long to compile: a file for each type.

#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "ramet/linalg/decompose.h"

namespace ramet::linalg {

template <class T>
void Decompose<T>::Svd(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int64_t p = std::min(m, n), u_columns = full ? m : p, v_columns = full ? n : p;
  unsigned options = 0;
  if (u != nullptr) {
    options = full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                   : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }
  const Eigen::Map<const Matrix> in(a, m, n);
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
  Eigen::Map<Matrix>(u, m, u_columns) = svd.matrixU();
  Eigen::Map<Matrix>(v, n, v_columns) = svd.matrixV();
}

}  // namespace ramet::linalg
