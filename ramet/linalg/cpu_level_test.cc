#include "ramet/linalg/cpu_level.h"

#include <gtest/gtest.h>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/reduce.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

TEST(CpuLevel, IsLoweredAndRaisedWithinTheMachine) {
  const int highest = cpu_level_internal::OverrideForTest(4);
  EXPECT_EQ(CpuLevel(), highest);
  if (highest == 1) GTEST_SKIP() << "skipped: this processor has one level";
  EXPECT_EQ(cpu_level_internal::OverrideForTest(2), 2);
  EXPECT_EQ(CpuLevel(), 2);
  cpu_level_internal::OverrideForTest(4);
}

// Code without fused multiplication and tables rounds equally everywhere.
TEST(CpuLevel, ArithmeticHasTheSameBitsAtEachLevel) {
  const std::vector<float> a = Noise(1000, 1), b = Noise(1000, 2);
  for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMul, BinaryOp::kDiv, BinaryOp::kMaximum,
                            BinaryOp::kTanhGrad, BinaryOp::kSquaredDifference}) {
    std::vector<float> first;
    AtEachLevel([&] {
      std::vector<float> y(1000);
      Binary(op, Type::kFloat, a.data(), b.data(), y.data(), 1000);
      if (first.empty()) first = y;
      EXPECT_EQ(y, first) << static_cast<int>(op);
    });
  }
}

TEST(CpuLevel, SumsAgreeWithinRounding) {
  const std::vector<float> x = Noise(10001);
  AtEachLevel([&] {
    double want = 0;
    for (const float v : x) want += v;
    float y;
    Reduce(ReduceOp::kSum, Type::kFloat, ReducePlan::Full(10001), x.data(), &y);
    EXPECT_NEAR(y, want, 1e-3);
  });
}

}  // namespace
}  // namespace ramet::linalg
