#include "ramet/linalg/gemm.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <complex>
#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

template <class T>
std::vector<T> Matrix(int64_t n, uint32_t seed) {
  std::vector<T> values;
  for (const double v : Noise<double>(n, seed)) values.push_back(static_cast<T>(v * 10));
  return values;
}

template <class T>
std::vector<T> SlowGemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const std::vector<T>& a,
                        const std::vector<T>& b) {
  std::vector<T> c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum(0);
      for (int64_t p = 0; p < k; ++p) {
        sum = static_cast<T>(sum + a[ta ? p * m + i : i * k + p] * b[tb ? j * k + p : p * n + j]);
      }
      c[i * n + j] = sum;
    }
  }
  return c;
}

struct Shape {
  int64_t m, n, k;
};
const Shape kShapes[] = {{50, 256, 784}, {1, 256, 784},  {1, 10, 256},  {256, 1, 50},
                         {1, 1, 1},      {17, 33, 5},    {3, 300, 2},   {300, 7, 64},
                         {1, 129, 31},   {131, 1, 17},   {16, 65, 261}, {5, 1, 515},
                         {50, 13, 700},  {5, 1024, 400}, {1, 4231, 21}};

template <class T>
void CheckAll(double tolerance) {
  for (const Shape& s : kShapes) {
    const std::vector<T> a = Matrix<T>(s.m * s.k, 1), b = Matrix<T>(s.k * s.n, 2);
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        const std::vector<T> want = SlowGemm(ta, tb, s.m, s.n, s.k, a, b);
        std::vector<T> c(s.m * s.n, T(99));
        Gemm<T>(ta, tb, s.m, s.n, s.k, a.data(), b.data(), c.data());
        for (size_t i = 0; i < want.size(); ++i) {
          ASSERT_LE(std::abs(std::complex<double>(c[i]) - std::complex<double>(want[i])), tolerance)
              << s.m << "x" << s.n << "x" << s.k << " " << ta << tb << " at " << i;
        }
      }
    }
  }
}

TEST(Gemm, AgreesWithTheDefinition) {
  AtEachLevel([] {
    CheckAll<float>(2e-2);
    CheckAll<double>(1e-10);
  });
  CheckAll<std::complex<float>>(2e-2);
  CheckAll<int32_t>(0);
  CheckAll<int64_t>(0);
}

TEST(Gemm, IntegersWrap) {
  const std::vector<int8_t> a(300, 100), b(300, 100);
  int8_t c;
  Gemm<int8_t>(false, false, 1, 1, 300, a.data(), b.data(), &c);
  EXPECT_EQ(c, static_cast<int8_t>(300 * 10000));
}

TEST(Gemm, HalfAccumulatesInFloat) {
  const std::vector<Half> a(4096, Half(1.0f));
  Half c;
  Gemm<Half>(false, true, 1, 1, 4096, a.data(), a.data(), &c);
  EXPECT_EQ(static_cast<float>(c), 4096);
}

TEST(Gemm, Adjoint) {
  using C = std::complex<float>;
  const C a[] = {C(1, 2)}, b[] = {C(3, 4)};
  C c;
  Gemm<C>(true, false, 1, 1, 1, a, b, &c, {.conjugate_a = true});
  EXPECT_EQ(c, C(11, -2));
  Gemm<C>(false, true, 1, 1, 1, a, b, &c, {.conjugate_b = true});
  EXPECT_EQ(c, C(11, 2));
}

TEST(Gemm, AccumulatesIntoStridedResult) {
  for (const int64_t m : {1, 2, 40}) {
    const int64_t n = 3, k = 4;
    const std::vector<float> a = Matrix<float>(m * 6, 1), b = Matrix<float>(k * 5, 2);
    std::vector<float> c(m * 7, 1.0f);
    Gemm<float>(false, false, m, n, k, a.data(), b.data(), c.data(),
                {.accumulate = true, .lda = 6, .ldb = 5, .ldc = 7});
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < 7; ++j) {
        float want = 1;
        for (int64_t p = 0; j < n && p < k; ++p) want += a[i * 6 + p] * b[p * 5 + j];
        EXPECT_NEAR(c[i * 7 + j], want, 1e-3);
      }
    }
  }
}

TEST(Gemm, EmptyOperands) {
  std::vector<float> c(6, 5.0f);
  Gemm<float>(false, false, 2, 3, 0, nullptr, nullptr, c.data());
  EXPECT_EQ(c, std::vector<float>(6, 0.0f));
  Gemm<float>(false, false, 0, 3, 2, nullptr, c.data(), nullptr);
}

TEST(Gemm, PropagatesNan) {
  const float nan = std::nanf("");
  const std::vector<float> a(20, 0.0f), b(20, nan);
  std::vector<float> c(4);
  Gemm<float>(false, false, 2, 2, 10, a.data(), b.data(), c.data());
  for (const float v : c) EXPECT_TRUE(std::isnan(v));
}

TEST(Gemm, DeterministicForAnyThreads) {
  SetDeterministic(true);
  AtEachLevel([] {
    for (const Shape& s : {Shape{50, 256, 784}, {784, 256, 50}, {1, 256, 784}, {64, 64, 5000}}) {
      const std::vector<float> a = Noise(s.m * s.k, 1), b = Noise(s.k * s.n, 2);
      const std::vector<double> da(a.begin(), a.end()), db(b.begin(), b.end());
      for (const bool tb : {false, true}) {
        EXPECT_TRUE(SameForAnyThreads([&] {
          std::vector<float> c(s.m * s.n);
          Gemm<float>(false, tb, s.m, s.n, s.k, a.data(), b.data(), c.data());
          return c;
        }));
        EXPECT_TRUE(SameForAnyThreads([&] {
          std::vector<double> c(s.m * s.n);
          Gemm<double>(true, tb, s.m, s.n, s.k, da.data(), db.data(), c.data());
          return c;
        }));
      }
    }
  });
  SetDeterministic(false);
}

// Uses whole numbers, so that sums are exact, in products of several pieces.
TEST(Gemm, LargeProductsSurviveSignals) {
  struct sigaction action = {}, before;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &before);
  const itimerval often = {{0, 300}, {0, 300}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (const int64_t m : {1030, 1500, 1500, 1500, 1500}) {
    const int64_t n = m + 3, k = m - 1;
    std::vector<float> a(m * k), b(k * n), c(m * n, -1), sums(k);
    for (int64_t i = 0; i < m * k; ++i) a[i] = static_cast<float>(i * 7 % 5 - 2);
    for (int64_t i = 0; i < k * n; ++i) b[i] = static_cast<float>(i * 11 % 13 % 3 - 1);
    Gemm<float>(false, false, m, n, k, a.data(), b.data(), c.data());
    for (int64_t i = 0; i < k * n; ++i) sums[i / n] += b[i] * static_cast<float>(i % n % 7);
    for (int64_t i = 0; i < m; ++i) {
      double want = 0, got = 0;
      for (int64_t j = 0; j < k; ++j) want += double{a[i * k + j]} * sums[j];
      for (int64_t j = 0; j < n; ++j) got += double{c[i * n + j]} * static_cast<double>(j % 7);
      ASSERT_EQ(got, want) << "row " << i << " of " << m;
    }
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

TEST(BatchGemm, SharesOrSeparatesOperands) {
  for (const int64_t m : {2, 90}) {
    const int64_t batch = 5, n = 80, k = 90;
    const std::vector<float> a = Noise(batch * m * k, 1), b = Noise(k * n, 2);
    std::vector<float> c(batch * m * n);
    BatchGemm(Type::kFloat, false, false, batch, m, n, k, a.data(), m * k, b.data(), 0, c.data(),
              m * n);
    for (int64_t i = 0; i < batch; ++i) {
      const std::vector<float> part(a.begin() + i * m * k, a.begin() + (i + 1) * m * k);
      const std::vector<float> want = SlowGemm(false, false, m, n, k, part, b);
      for (int64_t j = 0; j < m * n; ++j) ASSERT_NEAR(c[i * m * n + j], want[j], 1e-4);
    }
  }
}

}  // namespace
}  // namespace ramet::linalg
