// Tests sizes and numbers at the limits of their types: shapes whose product overflows, outputs too
// large for any machine, and integers that wrap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kHuge = int64_t{1} << 45;

Tensor Longs(std::vector<int64_t> values) { return Tensor::Vector(values); }
Tensor Empty(const Shape& shape, DType dtype = kFloat) { return Tensor(dtype, shape); }

Status Ran(KernelTester& tester) { return tester.Run().status(); }

template <class T>
std::vector<T> Values(const StatusOr<Tensor>& t) {
  if (!t.ok()) ADD_FAILURE() << t.status().ToString();
  return t.ok() ? std::vector<T>(t->flat<T>().begin(), t->flat<T>().end()) : std::vector<T>();
}

TEST(OverflowingShapes, NoKernelCreatesThem) {
  const int64_t a = (int64_t{1} << 33) + 1, b = int64_t{1} << 31;
  const Status statuses[] = {
      Ran(KernelTester("MatMul").Input(Empty({a, 0})).Input(Empty({0, b}))),
      Ran(KernelTester("BatchMatMulV2").Input(Empty({1, a, 0})).Input(Empty({1, 0, b}))),
      Ran(KernelTester("Einsum")
              .Attr("equation", "ij,jk->ik")
              .Input(Empty({a, 0}))
              .Input(Empty({0, b}))),
      Ran(KernelTester("Einsum")
              .Attr("equation", "ij,jk->ki")
              .Input(Empty({a, 0}))
              .Input(Empty({0, b}))),
      Ran(KernelTester("Tile").Input(Empty({1, 0, a})).Input(Longs({b, 1, 1}))),
      Ran(KernelTester("UnsortedSegmentSum")
              .Input(Empty({0, a}))
              .Input(Empty({0}, kInt64))
              .Input(Tensor(b))),
      Ran(KernelTester("Qr").Attr("full_matrices", true).Input(Empty({a, 0}))),
      Ran(KernelTester("MatrixDiag").Input(Empty({0, a}))),
      Ran(KernelTester("MatrixTriangularSolve")
              .Input(Empty({a, 1, 0, 0}))
              .Input(Empty({1, b, 0, 1}))),
      Ran(KernelTester("ConcatV2")
              .Input(Empty({a << 29, 0}))
              .Input(Empty({a << 29, 0}))
              .Input(Tensor(0))),
  };
  for (const Status& status : statuses) {
    EXPECT_TRUE(IsInvalidArgument(status)) << &status - statuses << ": " << status.ToString();
  }
}

TEST(OverflowingShapes, InferenceRejectsThem) {
  Graph graph;
  const Output x = Scope(graph).Placeholder("x", kFloat, Shape{int64_t{1} << 62, -1});
  EXPECT_FALSE(AddOp(graph, "ConcatV2", {x, x, x, Tensor(0)}).valid());
  EXPECT_THAT(graph.status().message(), HasSubstr("overflows"));
}

// A shape function only combines sizes; that the result is a shape is checked for all of them.
TEST(OverflowingShapes, InferenceRejectsProductsOfValidShapes) {
  Graph graph;
  Scope scope(graph);
  const Output a = scope.Placeholder("a", kFloat, Shape{kHuge, 1});
  const Output b = scope.Placeholder("b", kFloat, Shape{1, kHuge});
  EXPECT_FALSE(AddOp(graph, "MatMul", {a, b}).valid());
  EXPECT_THAT(graph.status().message(), HasSubstr("overflows a 64-bit integer"));
}

TEST(OverflowingShapes, InferenceRejectsNegativeSizes) {
  Graph graph;
  Scope scope(graph);
  const Output x = scope.Placeholder("x", kFloat, Shape{3});
  const Output ids = scope.Placeholder("ids", kInt32, Shape{3});
  EXPECT_FALSE(AddOp(graph, "UnsortedSegmentSum", {x, ids, Tensor(-5)}).valid());
  EXPECT_THAT(graph.status().message(), HasSubstr("must be non-negative but is -5"));
}

TEST(HugeRanks, InferenceRejectsThem) {
  for (int64_t length : {int64_t{255}, int64_t{1} << 30, (int64_t{1} << 32) + 2}) {
    Graph graph;
    Scope scope(graph);
    AddOp(graph, "Transpose",
          {scope.Placeholder("x", kFloat), scope.Placeholder("perm", kInt32, {length})}, {}, "y");
    EXPECT_THAT(graph.TakeError().message(), HasSubstr("a tensor has at most 254 dimensions"));
  }
}

TEST(HugeOutputs, AreRejectedBeforeMemoryIsTouched) {
  const Tensor zero(int64_t{0}), one(int64_t{1}), huge(kHuge);
  const Status statuses[] = {
      Ran(KernelTester("Fill").Input(Longs({kHuge})).Input(Tensor(1.0F))),
      Ran(KernelTester("Fill").Input(Longs({kHuge})).Input(Tensor("text"))),
      Ran(KernelTester("Range").Input(zero).Input(huge).Input(one)),
      Ran(KernelTester("LinSpace").Input(Tensor(0.0F)).Input(Tensor(1.0F)).Input(huge)),
      Ran(KernelTester("OneHot")
              .Input(Longs(std::vector<int64_t>(1024, 0)))
              .Input(Tensor(std::numeric_limits<int32_t>::max()))
              .Input(Tensor::Of<double>({}, {1}))
              .Input(Tensor::Of<double>({}, {0}))),
      Ran(KernelTester("Tile").Input(Tensor::Vector<float>({1})).Input(Longs({kHuge}))),
      Ran(KernelTester("BroadcastTo").Input(Tensor(1.0F)).Input(Longs({kHuge}))),
      Ran(KernelTester("Pad")
              .Input(Tensor::Vector<float>({1}))
              .Input(Tensor::Of<int64_t>({1, 2}, {0, kHuge}))),
      Ran(KernelTester("UnsortedSegmentSum")
              .Input(Tensor::Vector<float>({1}))
              .Input(Longs({0}))
              .Input(huge)),
      Ran(KernelTester("SegmentSum").Input(Tensor::Vector<float>({1})).Input(Longs({kHuge}))),
      Ran(KernelTester("SparseToDense")
              .Input(Longs({0}))
              .Input(Longs({kHuge}))
              .Input(Tensor(1.0F))
              .Input(Tensor(0.0F))),
      Ran(KernelTester("ScatterNd")
              .Input(Tensor::Of<int64_t>({1, 1}, {0}))
              .Input(Tensor::Vector<float>({1}))
              .Input(Longs({kHuge}))),
      Ran(KernelTester("RandomUniform").Attr("dtype", kFloat).Input(Longs({kHuge}))),
      Ran(KernelTester("MatrixDeterminant").Input(Empty({kHuge, 0, 0}))),
      Ran(KernelTester("ReduceJoin")
              .Input(Empty({kHuge, 0}, kString))
              .Input(Tensor::Vector<int32_t>({1}))),
      Ran(KernelTester("TensorListFromTensor")
              .Attr("element_dtype", kFloat)
              .Attr("shape_type", kInt32)
              .Input(Empty({int64_t{1} << 61, 0}))
              .Input(Tensor(-1))),
  };
  for (const Status& status : statuses) {
    EXPECT_TRUE(IsResourceExhausted(status)) << &status - statuses << ": " << status.ToString();
  }
}

// A mismatch is reported before memory is allocated.
TEST(Mismatches, AreReportedBeforeAllocations) {
  const Status statuses[] = {
      Ran(KernelTester("ScatterNd")
              .Input(Tensor::Of<int64_t>({3, 1}, {2, 0, 2}))
              .Input(Empty({3, 2}, kInt8))
              .Input(Longs({2, kHuge}))),
      Ran(KernelTester("SparseToDense")
              .Input(Longs({1, -1}))
              .Input(Longs({kHuge}))
              .Input(Tensor(1.0F))
              .Input(Tensor(0.0F))),
      Ran(KernelTester("SegmentSum")
              .Input(Tensor::Vector<float>({1, 2, 3}))
              .Input(Longs({kHuge, 0, kHuge}))),
      Ran(KernelTester("ParallelConcat")
              .Attr("shape", Shape{2, 3})
              .Input(Empty({1, 3}))
              .Input(Empty({1, 4}))),
      Ran(KernelTester("UnsortedSegmentJoin")
              .Input(Empty({1}, kString))
              .Input(Longs({-1}))
              .Input(Tensor(kHuge))),
  };
  for (const Status& status : statuses) {
    EXPECT_TRUE(IsInvalidArgument(status)) << &status - statuses << ": " << status.ToString();
  }
}

TEST(WrappingIntegers, SumsAndProducts) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  const Tensor ids = Tensor::Vector<int32_t>({0, 0});
  EXPECT_THAT(
      Values<int32_t>(
          KernelTester("SegmentSum").Input(Tensor::Vector<int32_t>({kMax, 1})).Input(ids).RunOne()),
      ElementsAre(kMin));
  EXPECT_THAT(Values<uint16_t>(KernelTester("SegmentProd")
                                   .Input(Tensor::Vector<uint16_t>({65535, 65535}))
                                   .Input(ids)
                                   .RunOne()),
              ElementsAre(1));
  EXPECT_THAT(Values<int32_t>(KernelTester("SparseSegmentSum")
                                  .Input(Tensor::Vector<int32_t>({kMax, 1}))
                                  .Input(Tensor::Vector<int32_t>({0, 1}))
                                  .Input(ids)
                                  .RunOne()),
              ElementsAre(kMin));
  EXPECT_THAT(Values<int32_t>(KernelTester("Bincount")
                                  .Input(ids)
                                  .Input(Tensor(1))
                                  .Input(Tensor::Vector<int32_t>({kMax, 1}))
                                  .RunOne()),
              ElementsAre(kMin));
  EXPECT_THAT(Values<int32_t>(KernelTester("Cross")
                                  .Input(Tensor::Vector<int32_t>({1 << 30, 3, kMin}))
                                  .Input(Tensor::Vector<int32_t>({5, 1 << 30, 7}))
                                  .RunOne()),
              ElementsAre(21, -1073741824, -15));
  EXPECT_THAT(Values<uint16_t>(KernelTester("Cross")
                                   .Input(Tensor::Vector<uint16_t>({65535, 65535, 65535}))
                                   .Input(Tensor::Vector<uint16_t>({65535, 65535, 65534}))
                                   .RunOne()),
              ElementsAre(1, 65535, 0));
}

TEST(WrappingIntegers, Images) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  EXPECT_THAT(Values<int32_t>(KernelTester("Dilation2D")
                                  .Attr("strides", ones)
                                  .Attr("rates", ones)
                                  .Attr("padding", "VALID")
                                  .Input(Tensor::Of<int32_t>({1, 1, 1, 1}, {kMax}))
                                  .Input(Tensor::Of<int32_t>({1, 1, 1}, {2}))
                                  .RunOne()),
              ElementsAre(std::numeric_limits<int32_t>::min() + 1));
  EXPECT_THAT(Values<int32_t>(KernelTester("MirrorPadGrad")
                                  .Attr("mode", "SYMMETRIC")
                                  .Input(Tensor::Vector<int32_t>({1, kMax, 5}))
                                  .Input(Tensor::Of<int32_t>({1, 2}, {1, 0}))
                                  .RunOne()),
              ElementsAre(std::numeric_limits<int32_t>::min(), 5));
}

TEST(HugeCrops, DoNotWrap) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Tensor block = Tensor::Vector<int32_t>({2});
  EXPECT_TRUE(IsInvalidArgument(KernelTester("BatchToSpaceND")
                                    .Input(Empty({2, 0}))
                                    .Input(block)
                                    .Input(Tensor::Of<int64_t>({1, 2}, {kMax, kMax}))
                                    .Run()
                                    .status()));
  EXPECT_TRUE(IsInvalidArgument(KernelTester("MirrorPad")
                                    .Attr("mode", "SYMMETRIC")
                                    .Input(Empty({kMax - 1, 0}))
                                    .Input(Tensor::Of<int64_t>({2, 2}, {kMax - 1, kMax - 1, 0, 0}))
                                    .Run()
                                    .status()));
}

}  // namespace
}  // namespace ramet
