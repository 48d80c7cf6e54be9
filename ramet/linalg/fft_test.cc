#include "ramet/linalg/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace ramet::linalg {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> Numbers(int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::normal_distribution<double> normal;
  std::vector<Complex> x(static_cast<size_t>(n));
  for (Complex& v : x) v = {normal(random), normal(random)};
  return x;
}

// Returns element k of the transform of x by its definition.
Complex Element(const std::vector<Complex>& x, int64_t k) {
  const auto n = static_cast<int64_t>(x.size());
  Complex sum;
  for (int64_t j = 0; j < n; ++j) {
    const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
    sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * turns);
  }
  return sum;
}

template <class T>
void CheckTransforms(int64_t n, double tolerance) {
  const std::vector<Complex> x = Numbers(n);
  const std::vector<std::complex<T>> in(x.begin(), x.end());
  std::vector<std::complex<T>> y(in.size()), back(in.size());
  Fft<T> fft(n);
  fft.Forward(in.data(), y.data());
  fft.Inverse(y.data(), back.data());
  const double limit = tolerance * std::sqrt(static_cast<double>(n));
  for (int64_t k = 0; k < n; k += 1 + n / 64) {
    EXPECT_NEAR(std::abs(Complex(y[k]) - Element(x, k)), 0, limit) << n << " " << k;
  }
  for (int64_t j = 0; j < n; ++j) {
    EXPECT_NEAR(std::abs(Complex(back[j]) / double(n) - x[j]), 0, tolerance) << n << " " << j;
  }
}

template <class T>
void CheckRealTransforms(int64_t n, double tolerance) {
  std::vector<Complex> x = Numbers(n);
  std::vector<T> in, back(x.size());
  for (Complex& v : x) in.push_back(static_cast<T>((v = v.real()).real()));
  std::vector<std::complex<T>> y(static_cast<size_t>(n / 2 + 1));
  Fft<T> fft(n);
  fft.ForwardReal(in.data(), y.data());
  const double limit = tolerance * std::sqrt(static_cast<double>(n));
  for (int64_t k = 0; k <= n / 2; k += 1 + n / 64) {
    EXPECT_NEAR(std::abs(Complex(y[k]) - Element(x, k)), 0, limit) << n << " " << k;
  }
  y[0] += std::complex<T>(0, 5);  // ignored
  if (n % 2 == 0) y[n / 2] += std::complex<T>(0, 5);
  fft.InverseReal(y.data(), back.data());
  for (int64_t j = 0; j < n; ++j) {
    EXPECT_NEAR(back[j] / double(n), in[j], tolerance) << n << " " << j;
  }
}

TEST(FftTest, AllSmallLengths) {
  for (int64_t n = 1; n <= 130; ++n) {
    CheckTransforms<double>(n, 1e-14);
    CheckTransforms<float>(n, 3e-6);
    CheckRealTransforms<double>(n, 1e-14);
    CheckRealTransforms<float>(n, 3e-6);
  }
}

TEST(FftTest, LongAndPrimeLengths) {
  for (const int64_t n : {1009, 1024, 4093, 31 * 37, 2 * 8191, 100003, 3 << 15}) {
    CheckTransforms<double>(n, 3e-13);
    CheckTransforms<float>(n, 1e-5);
    CheckRealTransforms<double>(n, 3e-13);
    CheckRealTransforms<float>(n, 1e-5);
  }
}

TEST(FftPoolTest, PlansAreKept) {
  FftPool<float> pool;
  const Fft<float>* first;
  {
    FftPool<float>::Lease plan(pool, 8);
    first = plan.operator->();
    FftPool<float>::Lease other(pool, 8);
    EXPECT_NE(other.operator->(), first);
  }
  FftPool<float>::Lease a(pool, 8), b(pool, 8), c(pool, 16);
  EXPECT_TRUE(a.operator->() == first || b.operator->() == first);
  EXPECT_EQ(c->length(), 16);
}

}  // namespace
}  // namespace ramet::linalg
