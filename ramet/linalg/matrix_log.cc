#include "ramet/linalg/matrix_log.h"

#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

namespace ramet::linalg {
namespace {

using Wide = std::complex<double>;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Returns false if the logarithm does not exist. The matrix is preceded by a row and a column of
// the identity, because Eigen 3.4's complex iteration reads the row above the first two.
bool Log(const WideMatrix& in, WideMatrix* out) {
  if (!in.allFinite()) return false;
  WideMatrix padded = WideMatrix::Identity(in.rows() + 1, in.cols() + 1);
  padded.bottomRightCorner(in.rows(), in.cols()) = in;
  const Eigen::ComplexSchur<WideMatrix> schur(padded);
  if (schur.info() != Eigen::Success) return false;
  // The logarithm of an eigenvalue of 0 is infinite.
  if ((schur.matrixT().diagonal().array() == Wide(0)).any()) return false;
  const WideMatrix log = padded.log();
  *out = log.bottomRightCorner(in.rows(), in.cols());
  return true;
}

template <class T>
void ComputeLog(int64_t n, const T* a, T* y) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  WideMatrix log(n, n);
  if (!Log(Eigen::Map<const Matrix>(a, n, n).template cast<Wide>(), &log)) {
    log.setConstant(Wide(kNaN, kNaN));
  }
  Eigen::Map<Matrix>(y, n, n) = log.template cast<T>();
}

}  // namespace

void MatrixLog(int64_t n, const std::complex<float>* a, std::complex<float>* y) {
  ComputeLog(n, a, y);
}
void MatrixLog(int64_t n, const std::complex<double>* a, std::complex<double>* y) {
  ComputeLog(n, a, y);
}

}  // namespace ramet::linalg
