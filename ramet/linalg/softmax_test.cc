#include "ramet/linalg/softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

template <class T>
std::vector<double> SlowSoftmax(const std::vector<T>& x, int64_t rows, int64_t n) {
  std::vector<double> y(rows * n);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(double{x[r * n + i]});
    for (int64_t i = 0; i < n; ++i) y[r * n + i] = std::exp(double{x[r * n + i]}) / sum;
  }
  return y;
}

template <class T>
void CheckAgainstDefinition(double tolerance) {
  for (const int64_t n : {1, 2, 10, 16, 17, 1000}) {
    const int64_t rows = 50;
    std::vector<T> x = Noise<T>(rows * n);
    for (T& v : x) v *= 8;
    const std::vector<double> p = SlowSoftmax(x, rows, n);
    const std::vector<T> labels = Noise<T>(rows * n, 3);
    std::vector<T> y(rows * n), log(rows * n), backprop(rows * n), loss(rows);
    Softmax(TypeOf<T>, rows, n, x.data(), y.data());
    LogSoftmax(TypeOf<T>, rows, n, x.data(), log.data());
    SoftmaxXent(TypeOf<T>, rows, n, x.data(), labels.data(), loss.data(), backprop.data());
    for (int64_t r = 0; r < rows; ++r) {
      double want = 0;
      for (int64_t i = r * n; i < (r + 1) * n; ++i) {
        ASSERT_NEAR(y[i], p[i], tolerance);
        ASSERT_NEAR(log[i], std::log(p[i]), 20 * tolerance);
        ASSERT_NEAR(backprop[i], p[i] - labels[i], 2 * tolerance);
        want -= labels[i] * std::log(p[i]);
      }
      ASSERT_NEAR(loss[r], want, 100 * tolerance * n);
    }
  }
}

TEST(Softmax, AgreesWithTheDefinition) {
  AtEachLevel([] {
    CheckAgainstDefinition<float>(2e-6);
    CheckAgainstDefinition<double>(1e-14);
  });
}

TEST(Softmax, LargeAndInfiniteLogits) {
  AtEachLevel([] {
    const std::vector<float> x = {1000, 1000, -kInf, -1000};
    std::vector<float> y(4);
    Softmax(Type::kFloat, 1, 4, x.data(), y.data());
    EXPECT_THAT(y, ElementsAre(0.5f, 0.5f, 0, 0));
    const std::vector<double> d = {-std::numeric_limits<double>::infinity(), 1, 1};
    std::vector<double> z(3);
    Softmax(Type::kDouble, 1, 3, d.data(), z.data());
    EXPECT_THAT(z, ElementsAre(0, 0.5, 0.5));
    const std::vector<float> bad = {kInf, 1};
    Softmax(Type::kFloat, 1, 2, bad.data(), y.data());
    EXPECT_TRUE(std::isnan(y[0]));
    const std::vector<float> none = {-kInf, -kInf};
    Softmax(Type::kFloat, 1, 2, none.data(), y.data());
    EXPECT_TRUE(std::isnan(y[0]));
  });
}

TEST(Softmax, InPlaceHalfAndEmpty) {
  std::vector<Half> x(20, Half(3.0f));
  Softmax(Type::kHalf, 2, 10, x.data(), x.data());
  EXPECT_EQ(x[19], Half(0.1f));
  Softmax(Type::kFloat, 2, 0, nullptr, nullptr);
  Softmax(Type::kFloat, 0, 3, nullptr, nullptr);
}

TEST(Softmax, SameForAnyThreads) {
  const std::vector<float> x = Noise(3000 * 7);
  EXPECT_TRUE(SameForAnyThreads([&] {
    std::vector<float> y(x.size());
    Softmax(Type::kFloat, 3000, 7, x.data(), y.data());
    return y;
  }));
}

TEST(SoftmaxGrad, IsTheJacobianProduct) {
  const std::vector<float> y = {0.25f, 0.75f}, dy = {2, 4};
  std::vector<float> dx(2);
  SoftmaxGrad(Type::kFloat, 1, 2, y.data(), dy.data(), dx.data());
  EXPECT_THAT(dx, ElementsAre(-0.375f, 0.375f));
}

TEST(SoftmaxXent, ResultMayReplaceAnOperand) {
  const std::vector<float> x = Noise(5 * 33), labels = Noise(5 * 33, 2);
  std::vector<float> loss(5), want(5 * 33), a = x, b = labels;
  SoftmaxXent(Type::kFloat, 5, 33, x.data(), labels.data(), loss.data(), want.data());
  SoftmaxXent(Type::kFloat, 5, 33, a.data(), labels.data(), loss.data(), a.data());
  SoftmaxXent(Type::kFloat, 5, 33, x.data(), b.data(), loss.data(), b.data());
  EXPECT_EQ(a, want);
  EXPECT_EQ(b, want);
}

// The values of TensorFlow 2.21.
TEST(SparseSoftmaxXent, AsTensorFlow) {
  const std::vector<float> x = {-kInf, 1, 1, 1, 2, 3};
  const int32_t labels[] = {0, 2};
  std::vector<float> loss(2), backprop(6);
  EXPECT_EQ(SparseSoftmaxXent(Type::kFloat, Type::kInt32, 2, 3, x.data(), labels, loss.data(),
                              backprop.data()),
            -1);
  EXPECT_THAT(loss, ElementsAre(kInf, FloatEq(0.40760595f)));
  EXPECT_THAT(backprop, ElementsAre(-1, 0.5f, 0.5f, FloatEq(0.09003057f), FloatEq(0.24472848f),
                                    ::testing::FloatNear(-0.33475906f, 1e-7f)));
}

TEST(SparseSoftmaxXent, ReportsLabelsOutOfRange) {
  const std::vector<float> x(9, 1.0f);
  const int64_t labels[] = {0, 3, -1};
  std::vector<float> loss(3), backprop(9);
  EXPECT_EQ(SparseSoftmaxXent(Type::kFloat, Type::kInt64, 3, 3, x.data(), labels, loss.data(),
                              backprop.data()),
            1);
  EXPECT_FALSE(std::isnan(loss[0]));
  EXPECT_TRUE(std::isnan(loss[1]) && std::isnan(backprop[5]) && std::isnan(loss[2]));
}

}  // namespace
}  // namespace ramet::linalg
