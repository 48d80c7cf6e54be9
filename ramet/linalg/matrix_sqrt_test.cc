#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "ramet/linalg/matrix_sqrt.h"

namespace ramet::linalg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<T> Root(int64_t n, const std::vector<T>& a) {
  std::vector<T> y(n * n);
  MatrixSqrt(n, a.data(), y.data());
  return y;
}

template <class T>
void ExpectAllNaN(const std::vector<T>& values) {
  for (const T& value : values) EXPECT_TRUE(std::isnan(std::real(value))) << value;
}

// The address sanitizer reports reads outside of the matrix.
TEST(MatrixSqrtTest, NonFiniteElementsGiveNaNEverywhere) {
  for (double odd : {kNaN, kInfinity, -kInfinity}) {
    for (int64_t n = 1; n <= 6; ++n) {
      for (int64_t at = 0; at < n * n; ++at) {
        std::vector<double> a(n * n, 0.5);
        for (int64_t i = 0; i < n; ++i) a[i * n + i] = 3;
        a[at] = odd;
        ExpectAllNaN(Root<double>(n, a));
        ExpectAllNaN(Root<float>(n, std::vector<float>(a.begin(), a.end())));
        ExpectAllNaN(Root<std::complex<double>>(n, {a.begin(), a.end()}));
      }
    }
  }
}

TEST(MatrixSqrtTest, ARealMatrixWithANegativeEigenvalueHasNoRealRoot) {
  ExpectAllNaN(Root<double>(1, {-1}));
  ExpectAllNaN(Root<double>(2, {4, 0, 0, -1}));
  ExpectAllNaN(Root<float>(3, {1, 0, 0, 0, -4, 1, 0, 0, 2}));
  // Its negative diagonal belongs to a pair of complex eigenvalues.
  for (double y : Root<double>(2, {-1, 2, -2, -1})) EXPECT_TRUE(std::isfinite(y));
}

TEST(MatrixSqrtTest, LargeAndSmallValues) {
  for (double scale : {1e300, 1e-300, 1.0}) {
    const std::vector<double> a = {5 * scale, 4 * scale, 4 * scale, 5 * scale};  // (2 1; 1 2)^2
    const double root = std::sqrt(scale);
    const std::vector<double> y = Root<double>(2, a);
    const double expected[] = {2, 1, 1, 2};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i] / root, expected[i], 1e-12);
    const std::vector<std::complex<double>> z = Root<std::complex<double>>(2, {a.begin(), a.end()});
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(std::abs(z[i] / root - expected[i]), 0, 1e-12);
  }
}

}  // namespace
}  // namespace ramet::linalg
