#include "ramet/linalg/broadcast.h"

#include <gtest/gtest.h>

#include <vector>

namespace ramet::linalg {
namespace {

using Dims = std::vector<int64_t>;

std::string Text(const BroadcastPlan& plan, int operands = 2) {
  std::string text;
  for (int i = 0; i < plan.ndims(); ++i) {
    text += (i ? " " : "") + std::to_string(plan.dim(i)) + ":";
    for (int o = 0; o < operands; ++o) {
      text += (o ? "," : "") + std::to_string(plan.stride(o, i));
    }
  }
  return text;
}

std::string PlanOf(const Dims& a, const Dims& b) {
  BroadcastPlan plan;
  return BroadcastPlan::Make(a, b, &plan) ? Text(plan) : "none";
}

TEST(BroadcastPlan, CollapsesWhatOperandsTreatAlike) {
  EXPECT_EQ(PlanOf({2, 3, 4}, {2, 3, 4}), "24:1,1");
  EXPECT_EQ(PlanOf({2, 3, 4}, {4}), "6:4,0 4:1,1");
  EXPECT_EQ(PlanOf({2, 3, 4}, {}), "24:1,0");
  EXPECT_EQ(PlanOf({}, {2, 3, 4}), "24:0,1");
  EXPECT_EQ(PlanOf({2, 3, 1}, {1, 4}), "6:1,0 4:0,1");
  EXPECT_EQ(PlanOf({2, 1, 4}, {2, 3, 1}), "2:4,3 3:0,1 4:1,0");
  EXPECT_EQ(PlanOf({1, 1, 1, 5}, {5}), "5:1,1");
  EXPECT_EQ(PlanOf({1}, {1, 1}), "1:1,1");
  EXPECT_EQ(PlanOf({}, {}), "1:1,1");
}

TEST(BroadcastPlan, ThreeOperands) {
  BroadcastPlan plan;
  ASSERT_TRUE(BroadcastPlan::Make(Dims{3, 1}, Dims{3, 4}, Dims{4}, &plan));
  EXPECT_EQ(Text(plan, 3), "3:1,4,0 4:0,1,1");
  EXPECT_EQ(plan.size(), 12);
}

TEST(BroadcastPlan, Empty) {
  BroadcastPlan plan;
  ASSERT_TRUE(BroadcastPlan::Make(Dims{2, 0}, Dims{1}, &plan));
  EXPECT_EQ(plan.size(), 0);
  ASSERT_TRUE(BroadcastPlan::Make(Dims{0, int64_t{1} << 40}, Dims{int64_t{1} << 40}, &plan));
  EXPECT_EQ(plan.size(), 0);
}

TEST(BroadcastPlan, RefusesIncompatibleShapes) {
  EXPECT_EQ(PlanOf({2, 3}, {2}), "none");
  EXPECT_EQ(PlanOf({0}, {3}), "none");
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(PlanOf({big, 1}, {1, big}), "none");
}

TEST(BroadcastPlan, TakesAnyRank) {
  const Dims a(200, 1);
  Dims b(200, 1);
  b[7] = 3;
  b[100] = 2;
  EXPECT_EQ(PlanOf(a, b), "6:0,1");
}

TEST(BroadcastShape, FillsTheResult) {
  Dims out(3);
  EXPECT_TRUE(BroadcastShape(Dims{2, 1, 4}, Dims{3, 1}, out));
  EXPECT_EQ(out, (Dims{2, 3, 4}));
  EXPECT_FALSE(BroadcastShape(Dims{2, 2, 4}, Dims{3, 1}, out));
}

}  // namespace
}  // namespace ramet::linalg
