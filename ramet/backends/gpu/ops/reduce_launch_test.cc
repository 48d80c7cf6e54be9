#include "ramet/backends/gpu/ops/reduce_launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "ramet/backends/gpu/testing/gpu_math_fixture.h"
#include "ramet/op/tensor_math.h"

namespace ramet::gpu {
namespace {

using linalg::ReduceOp;
using linalg::ReducePlan;

// An H100.
constexpr ReduceDevice kLarge = {132, 1024};

// Returns the number of elements that an item loads.
int64_t ElementsPerItem(const ReduceLaunch& launch) {
  return (launch.chunk + launch.lanes - 1) / launch.lanes;
}

int64_t Items(const ReduceLaunch& launch, const ReducePlan& plan) {
  const int64_t outputs = launch.group / launch.lanes;
  return (plan.output_size() + outputs - 1) / outputs * launch.group * launch.chunks;
}

TEST(ReduceLaunchTest, SmallReductionsAreOnePassOfManyItems) {
  const bool middle[] = {false, true, true, false};
  const int64_t images[] = {32, 8, 8, 64};
  for (const ReducePlan& plan :
       {ReducePlan::Columns(512, 128), ReducePlan::Columns(512, 512), ReducePlan::Rows(512, 128),
        ReducePlan::Rows(2048, 64), ReducePlan::Full(4096), ReducePlan::Make(images, middle)}) {
    const ReduceLaunch launch(kLarge, plan);
    EXPECT_EQ(launch.chunks, 1);
    EXPECT_LE(ElementsPerItem(launch), 8) << plan.output_size();
    EXPECT_GE(Items(launch, plan), plan.input_size() / 8);
  }
}

TEST(ReduceLaunchTest, FewResultsOfManyElementsAreReducedInChunks) {
  for (const ReducePlan& plan : {ReducePlan::Full(65536), ReducePlan::Columns(32768, 16),
                                 ReducePlan::Rows(8, 65536), ReducePlan::Full(25'000'000)}) {
    const ReduceLaunch launch(kLarge, plan);
    EXPECT_GT(launch.chunks, 1);
    EXPECT_GE(Items(launch, plan), std::min<int64_t>(plan.input_size() / 16, 132 * 1024));
    EXPECT_LE(Items(launch, plan), 132 * 2048);
  }
}

TEST(ReduceLaunchTest, ManyResultsNeedNoSecondPass) {
  for (const ReducePlan& plan :
       {ReducePlan::Columns(1000, 100000), ReducePlan::Rows(100000, 1000),
        ReducePlan::Columns(3, 10'000'000), ReducePlan::Rows(10'000'000, 3)}) {
    EXPECT_EQ(ReduceLaunch(kLarge, plan).chunks, 1);
  }
}

TEST(ReduceLaunchTest, EachElementBelongsToAChunkOnEveryDevice) {
  for (const int64_t max_group : {0, 1, 48, 128, 256, 1024}) {
    for (const int64_t units : {0, 1, 16, 132}) {
      for (int64_t n = 1; n < 100'000'000; n = n * 5 + 2) {
        for (const ReducePlan& plan : {ReducePlan::Full(n), ReducePlan::Rows(n, 77),
                                       ReducePlan::Columns(n, 1000), ReducePlan::Rows(5, n)}) {
          const ReduceLaunch launch({units, max_group}, plan);
          ASSERT_TRUE(std::has_single_bit(static_cast<uint64_t>(launch.lanes)));
          ASSERT_TRUE(std::has_single_bit(static_cast<uint64_t>(launch.group)));
          ASSERT_LE(launch.lanes, launch.group);
          ASSERT_LE(launch.group, std::clamp<int64_t>(max_group, 1, 512));
          ASSERT_GE(launch.chunk * launch.chunks, plan.reduced_size());
          ASSERT_LT(launch.chunk * (launch.chunks - 1), plan.reduced_size());
          ASSERT_LE(launch.chunks, 4096);
        }
      }
    }
  }
}

// Devices for which the same sizes are reduced by narrow and wide groups, in one pass and in
// chunks.
constexpr ReduceDevice kDevices[] = {{1, 16}, {2, 128}, kLarge};

// Plans with both directions of neighbors, and sizes that fill no group.
std::vector<ReducePlan> Plans() {
  const bool outer[] = {true, false, true}, inner[] = {false, true, false};
  const bool deep[] = {true, false, true, false, true, false};
  const int64_t three[] = {9, 5, 77}, six[] = {3, 5, 2, 3, 7, 4};
  return {ReducePlan::Full(1),
          ReducePlan::Full(5),
          ReducePlan::Full(1029),
          ReducePlan::Full(70001),
          ReducePlan::Rows(37, 3),
          ReducePlan::Rows(129, 65),
          ReducePlan::Rows(3, 20000),
          ReducePlan::Columns(2, 300),
          ReducePlan::Columns(513, 37),
          ReducePlan::Columns(20000, 3),
          ReducePlan::Make(three, outer),
          ReducePlan::Make(three, inner),
          ReducePlan::Make(six, deep)};
}

class GpuReduceTest : public GpuMathFixture {
 protected:
  // Compares a reduction of x, on a device like each, with that of the host.
  void CompareOnEach(ReduceOp op, const ReducePlan& plan, const Tensor& x, double tolerance) {
    const int64_t divisor = op == ReduceOp::kSumSquares ? 2 : 1;
    Tensor expected(x.dtype(), Shape{plan.output_size()});
    ASSERT_TRUE(Reduce(op, plan, x, expected, divisor).ok());
    for (const ReduceDevice& like : kDevices) {
      SCOPED_TRACE(::testing::Message()
                   << "op " << static_cast<int>(op) << ", " << plan.output_size() << " of "
                   << plan.reduced_size() << ", " << like.compute_units << " units");
      Tensor found = New(x.dtype(), expected.shape());
      const Status status = ReduceLike(like, *device_, op, plan, On(x), found, divisor);
      ASSERT_TRUE(status.ok()) << status.ToString();
      ExpectNear(expected, Back(found), tolerance);
    }
  }
};

TEST_F(GpuReduceTest, ReducesAnyAxes) {
  const int64_t dims[5] = {3, 5, 2, 7, 4};
  for (DType dtype : {kFloat, kHalf, kDouble, kInt32, kUInt8}) {
    for (int mask = 1; mask < 32; mask += 3) {
      bool reduced[5];
      for (int d = 0; d < 5; ++d) reduced[d] = mask >> d & 1;
      const ReducePlan plan = ReducePlan::Make(dims, reduced);
      const Tensor x = Numbers(dtype, Shape{3, 5, 2, 7, 4}, IsFloating(dtype) ? -1 : 0, 2.2);
      for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin}) {
        if (op != ReduceOp::kSum && mask > 4) continue;
        Compare({x}, dtype, Shape{plan.output_size()}, 8 * Tolerance(dtype),
                [&](const auto& in, Tensor& y) { return Reduce(op, plan, in[0], y); });
      }
    }
  }
}

TEST_F(GpuReduceTest, ReducesManyElementsInChunks) {
  const Tensor x = Numbers(kFloat, Shape{100000, 3}, 0, 1);
  for (const ReducePlan& plan :
       {ReducePlan::Columns(100000, 3), ReducePlan::Full(300000), ReducePlan::Rows(3, 100000)}) {
    Compare({x}, kFloat, Shape{plan.output_size()}, 2e-6,
            [&](const auto& in, Tensor& y) { return Reduce(ReduceOp::kSum, plan, in[0], y); });
    Compare({x}, kFloat, Shape{plan.output_size()}, 2e-6, [&](const auto& in, Tensor& y) {
      return Reduce(ReduceOp::kSumSquares, plan, in[0], y, 2);
    });
  }
}

TEST_F(GpuReduceTest, ReducesNothing) {
  Tensor x = New(kFloat, Shape{0, 2}), y = New(kFloat, Shape{2});
  ASSERT_TRUE(Reduce(ReduceOp::kMax, ReducePlan::Columns(0, 2), x, y).ok());
  EXPECT_EQ(Back(y).flat<float>()[1], -std::numeric_limits<float>::infinity());
}

TEST_F(GpuReduceTest, EachLaunchHasTheSumsOfTheHost) {
  for (const ReducePlan& plan : Plans()) {
    CompareOnEach(ReduceOp::kSum, plan, Numbers(kFloat, Shape{plan.input_size()}, 0, 1), 2e-6);
  }
}

// The last chunk has fewer elements than lanes. Joining lanes without elements would change each
// of these results.
TEST_F(GpuReduceTest, EachOpJoinsChunks) {
  for (const ReducePlan& plan : {ReducePlan::Rows(3, 32773), ReducePlan::Columns(8197, 3)}) {
    const ReduceLaunch launch(kLarge, plan);
    ASSERT_EQ(plan.reduced_size() - launch.chunk * (launch.chunks - 1), 5);
    const Shape shape{plan.input_size()};
    const Tensor above = Numbers(kFloat, shape, 1, 3), below = Numbers(kFloat, shape, -3, -1);
    CompareOnEach(ReduceOp::kMean, plan, above, 2e-6);
    CompareOnEach(ReduceOp::kMin, plan, above, 0);
    CompareOnEach(ReduceOp::kMax, plan, below, 0);
    CompareOnEach(ReduceOp::kSumSquares, plan, below, 2e-6);
    CompareOnEach(ReduceOp::kMean, plan, Numbers(kInt32, shape, -9, 90), 0);
    CompareOnEach(ReduceOp::kSum, plan, Numbers(kHalf, shape, 0, 1), 2e-3);
    Tensor signs = Numbers(kInt64, shape, 0, 2);
    for (int64_t& v : signs.mutable_flat<int64_t>()) v = 2 * v - 1;
    CompareOnEach(ReduceOp::kProd, plan, signs, 0);
    Tensor all(kBool, shape);
    std::ranges::fill(all.mutable_flat<bool>(), true);
    CompareOnEach(ReduceOp::kAll, plan, all, 0);
    all.mutable_flat<bool>().back() = false;
    CompareOnEach(ReduceOp::kAll, plan, all, 0);
    CompareOnEach(ReduceOp::kAny, plan, all, 0);
  }
}

// A NaN at any position, among the four elements that are loaded together or after the last, is the
// extreme.
TEST_F(GpuReduceTest, ExtremesAreNaNWhereverItIs) {
  for (int64_t n : {1, 7, 2049}) {
    for (int64_t at : {int64_t{0}, n / 3, n / 2, n - 1}) {
      Tensor x = Numbers(kFloat, Shape{n});
      x.mutable_flat<float>()[at] = std::numeric_limits<float>::quiet_NaN();
      for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
        CompareOnEach(op, ReducePlan::Full(n), x, 0);
        Tensor found = New(kFloat, Shape{1});
        ASSERT_TRUE(Reduce(op, ReducePlan::Full(n), On(x), found).ok());
        EXPECT_TRUE(std::isnan(Back(found).flat<float>()[0])) << at << " of " << n;
      }
    }
  }
}

}  // namespace
}  // namespace ramet::gpu
