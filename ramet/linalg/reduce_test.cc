#include "ramet/linalg/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "ramet/linalg/argmax.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using ::testing::ElementsAre;
using Dims = std::vector<int64_t>;

constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();

// mask has 'r' for each reduced dimension.
ReducePlan PlanOf(const Dims& shape, const std::string& mask) {
  bool reduced[256];
  for (size_t i = 0; i < mask.size(); ++i) reduced[i] = mask[i] == 'r';
  return ReducePlan::Make(shape, std::span<const bool>(reduced, mask.size()));
}

template <class T>
std::vector<T> Reduced(ReduceOp op, const ReducePlan& plan, const std::vector<T>& x) {
  std::vector<T> y(plan.output_size());
  Reduce(op, TypeOf<T>, plan, x.data(), y.data());
  return y;
}

std::vector<double> SlowSum(const Dims& shape, const std::string& mask,
                            const std::vector<float>& x) {
  int64_t size = 1;
  for (size_t i = 0; i < shape.size(); ++i) size *= mask[i] == 'r' ? 1 : shape[i];
  std::vector<double> y(size);
  for (size_t flat = 0; flat < x.size(); ++flat) {
    int64_t rest = flat, index = 0, stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      if (mask[i] != 'r') {
        index += rest % shape[i] * stride;
        stride *= shape[i];
      }
      rest /= shape[i];
    }
    y[index] += x[flat];
  }
  return y;
}

TEST(Reduce, SumsOverAnySetOfAxes) {
  const std::pair<Dims, std::string> cases[] = {
      {{50, 10}, "kr"},       {{50, 256}, "rk"},      {{7}, "r"},
      {{3, 4}, "kk"},         {{3, 4, 5}, "rkr"},     {{3, 4, 5}, "krk"},
      {{3, 4, 5, 6}, "krkr"}, {{3, 4, 5, 6}, "rkrk"}, {{2, 3, 2, 3, 2}, "rkrkr"},
      {{1, 9, 1}, "rkr"},     {{200000}, "r"},        {{3, 150001}, "kr"},
      {{30000, 7}, "rk"},     {{2, 9000, 11}, "krk"}, {{700, 300}, "rk"},
      {{5, 1000, 3}, "rrr"},
  };
  AtEachLevel([&] {
    for (const auto& one : cases) {
      const Dims& shape = one.first;
      const std::string& mask = one.second;
      int64_t n = 1;
      for (const int64_t d : shape) n *= d;
      const std::vector<float> x = Noise(n);
      const std::vector<double> want = SlowSum(shape, mask, x);
      const ReducePlan plan = PlanOf(shape, mask);
      ASSERT_EQ(plan.output_size(), static_cast<int64_t>(want.size()));
      EXPECT_TRUE(SameForAnyThreads([&] {
        const std::vector<float> y = Reduced(ReduceOp::kSum, plan, x);
        for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(y[i], want[i], 1e-3) << mask;
        return y;
      }));
    }
  });
}

TEST(Reduce, LongFloatSumsStayAccurate) {
  const std::vector<float> x(1 << 22, 0.1f);
  AtEachLevel([&] {
    EXPECT_NEAR(Reduced(ReduceOp::kSum, ReducePlan::Full(x.size()), x)[0], 419430.4f, 1);
    EXPECT_NEAR(Reduced(ReduceOp::kSum, ReducePlan::Columns(x.size() / 2, 2), x)[1], 209715.2f, 1);
  });
}

TEST(Reduce, OtherOps) {
  AtEachLevel([] {
    const std::vector<float> x = {1, -2, 3, 4, 5, -6};
    const ReducePlan rows = ReducePlan::Rows(2, 3);
    const ReducePlan columns = ReducePlan::Columns(2, 3);
    EXPECT_THAT(Reduced(ReduceOp::kProd, rows, x), ElementsAre(-6, -120));
    EXPECT_THAT(Reduced(ReduceOp::kMax, rows, x), ElementsAre(3, 5));
    EXPECT_THAT(Reduced(ReduceOp::kMin, columns, x), ElementsAre(1, -2, -6));
    EXPECT_THAT(Reduced(ReduceOp::kMean, columns, x), ElementsAre(2.5f, 1.5f, -1.5f));
    EXPECT_THAT(Reduced(ReduceOp::kSumSquares, rows, x), ElementsAre(14, 77));
    EXPECT_THAT(Reduced(ReduceOp::kSumSquares, PlanOf({6}, "k"), x),
                ElementsAre(1, 4, 9, 16, 25, 36));
  });
}

TEST(Reduce, MaxAndMinPropagateNan) {
  AtEachLevel([] {
    for (const size_t at : {0, 3, 20, 40}) {
      std::vector<float> x(41, 1.0f);
      x[at] = kNanFloat;
      EXPECT_TRUE(std::isnan(Reduced(ReduceOp::kMax, ReducePlan::Full(41), x)[0])) << at;
      EXPECT_TRUE(std::isnan(Reduced(ReduceOp::kMin, ReducePlan::Columns(41, 1), x)[0])) << at;
    }
    EXPECT_EQ(Reduced(ReduceOp::kMax, ReducePlan::Full(2), std::vector<float>{-kInf, -kInf})[0],
              -kInf);
  });
}

TEST(Reduce, OfNothing) {
  const ReducePlan plan = PlanOf({2, 0}, "kr");
  EXPECT_EQ(plan.output_size(), 2);
  EXPECT_THAT(Reduced<float>(ReduceOp::kSum, plan, {}), ElementsAre(0, 0));
  EXPECT_THAT(Reduced<float>(ReduceOp::kProd, plan, {}), ElementsAre(1, 1));
  EXPECT_THAT(Reduced<float>(ReduceOp::kMax, plan, {}), ElementsAre(-kInf, -kInf));
  EXPECT_THAT(Reduced<float>(ReduceOp::kMin, plan, {}), ElementsAre(kInf, kInf));
  EXPECT_TRUE(std::isnan(Reduced<float>(ReduceOp::kMean, plan, {})[0]));
  EXPECT_THAT(
      Reduced<int32_t>(ReduceOp::kMax, plan, {}),
      ElementsAre(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(Reduced<uint8_t>(ReduceOp::kMin, plan, {}), ElementsAre(255, 255));
  EXPECT_THAT(Reduced<int32_t>(ReduceOp::kMean, plan, {}), ElementsAre(0, 0));
  EXPECT_TRUE(Reduced<float>(ReduceOp::kSum, PlanOf({0, 3}, "kr"), {}).empty());
}

TEST(Reduce, Integers) {
  EXPECT_EQ(Reduced<int8_t>(ReduceOp::kMean, ReducePlan::Full(3), {100, 100, 101})[0], 100);
  EXPECT_EQ(Reduced<int8_t>(ReduceOp::kSum, ReducePlan::Full(3), {100, 100, 101})[0], 45);
  EXPECT_EQ(Reduced<int32_t>(ReduceOp::kMean, ReducePlan::Full(2), {-3, -4})[0], -3);
  EXPECT_EQ(Reduced<int32_t>(ReduceOp::kMin, ReducePlan::Full(3), {-3, -4, 9})[0], -4);
  EXPECT_EQ(Reduced<uint32_t>(ReduceOp::kMax, ReducePlan::Full(2), {1, ~0u})[0], ~0u);
  std::vector<int64_t> big(100);
  for (int i = 0; i < 100; ++i) big[i] = i - 70;
  EXPECT_EQ(Reduced(ReduceOp::kMax, ReducePlan::Full(100), big)[0], 29);
  EXPECT_EQ(Reduced(ReduceOp::kMin, ReducePlan::Full(100), big)[0], -70);
}

TEST(Reduce, Booleans) {
  const bool x[] = {true, true, false, true, true, true};
  bool y[2];
  Reduce(ReduceOp::kAll, Type::kBool, ReducePlan::Rows(2, 3), x, y);
  EXPECT_THAT(y, ElementsAre(false, true));
  const bool none[] = {false, false, false, false, true, false};
  Reduce(ReduceOp::kAny, Type::kBool, ReducePlan::Rows(2, 3), none, y);
  EXPECT_THAT(y, ElementsAre(false, true));
}

TEST(Reduce, HalfAccumulatesInFloat) {
  const std::vector<Half> x(5000, Half(1.0f));
  Half y;
  Reduce(ReduceOp::kSum, Type::kHalf, ReducePlan::Full(5000), x.data(), &y);
  EXPECT_EQ(static_cast<float>(y), 5000);
  Reduce(ReduceOp::kMean, Type::kHalf, ReducePlan::Columns(5000, 1), x.data(), &y);
  EXPECT_EQ(static_cast<float>(y), 1);
}

TEST(Reduce, Complex) {
  using C = std::complex<float>;
  std::vector<C> x(1001, C(1, 2));
  EXPECT_EQ(Reduced(ReduceOp::kSum, ReducePlan::Full(1001), x)[0], C(1001, 2002));
  EXPECT_EQ(Reduced(ReduceOp::kMean, ReducePlan::Columns(7, 143), x)[142], C(1, 2));
  EXPECT_EQ(Reduced<C>(ReduceOp::kProd, ReducePlan::Full(2), {C(0, 1), C(0, 1)})[0], C(-1, 0));
}

std::vector<int64_t> ArgOf(bool max, const std::vector<float>& x, int64_t outer, int64_t n,
                           int64_t inner) {
  std::vector<int64_t> y(outer * inner);
  (max ? ArgMax : ArgMin)(Type::kFloat, Type::kInt64, outer, n, inner, x.data(), y.data());
  return y;
}

TEST(ArgMax, FirstOfEqualsAndNoNan) {
  EXPECT_THAT(ArgOf(true, {1, 3, 3}, 1, 3, 1), ElementsAre(1));
  EXPECT_THAT(ArgOf(true, {kNanFloat, 1, 3}, 1, 3, 1), ElementsAre(2));
  EXPECT_THAT(ArgOf(false, {kNanFloat, 1, 3}, 1, 3, 1), ElementsAre(1));
  EXPECT_THAT(ArgOf(true, {kNanFloat, kNanFloat}, 1, 2, 1), ElementsAre(0));
  EXPECT_THAT(ArgOf(true, {-kInf, kNanFloat, -kInf, 1}, 1, 4, 1), ElementsAre(3));
  EXPECT_THAT(ArgOf(true, {kNanFloat, 1, 1, kNanFloat, 3, 0}, 1, 3, 2), ElementsAre(2, 0));
}

TEST(ArgMax, AnyLayout) {
  const std::vector<float> x = Noise(3 * 5 * 700);
  const std::vector<int64_t> y = ArgOf(true, x, 3, 5, 700);
  for (int64_t o = 0; o < 3; ++o) {
    for (int64_t i = 0; i < 700; ++i) {
      int64_t best = 0;
      for (int64_t j = 1; j < 5; ++j) {
        if (x[(o * 5 + j) * 700 + i] > x[(o * 5 + best) * 700 + i]) best = j;
      }
      ASSERT_EQ(y[o * 700 + i], best);
    }
  }
  const uint8_t bytes[] = {1, 9, 200};
  int32_t index;
  ArgMax(Type::kUint8, Type::kInt32, 1, 3, 1, bytes, &index);
  EXPECT_EQ(index, 2);
}

}  // namespace
}  // namespace ramet::linalg
