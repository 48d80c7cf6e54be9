// Tests what the conformance cases do not cover: shapes inferred from what is known when the graph
// is built, shared buffers, untrusted sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ints.h"
#include "ramet/gradients/gradients.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/kernel_tester.h"
#include "ramet/runtime/session.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

// Infers the shapes of ops over placeholders of partial shapes and constants.
class InferenceTest : public ::testing::Test {
 protected:
  Output X(const Shape& shape, DType dtype = kFloat) {
    return Scope(graph_).Placeholder("x", dtype, shape);
  }
  std::string Infer(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {}) {
    Operation added = AddOp(graph_, op, inputs, std::move(attrs));
    if (!added.valid()) return graph_.status().message();
    std::vector<std::string> shapes;
    for (const Output& y : added.outputs()) shapes.push_back(y.shape().ToString());
    return StrJoin(shapes, " ");
  }
  Graph graph_;
};

TEST_F(InferenceTest, PartialShapesStayAsFarAsTheyCan) {
  EXPECT_EQ(Infer("Reshape", {X({-1, 6}), Ints({-1, 2, 3})}), "[?,2,3]");
  EXPECT_EQ(Infer("Reshape", {X({4, 6}), Ints({-1, 3})}), "[8,3]");
  EXPECT_EQ(Infer("Reshape", {X({4, 6}), X({2}, kInt32)}), "[?,?]");
  EXPECT_EQ(Infer("Reshape", {X({0, -1}), Ints({4, -1})}), "[4,0]");
  EXPECT_EQ(Infer("Reshape", {X({0, -1}), Ints({0, -1})}), "[0,?]");
  EXPECT_EQ(Infer("ExpandDims", {X({-1, 3}), Tensor(-1)}), "[?,3,1]");
  EXPECT_EQ(Infer("Squeeze", {X({1, -1, 1})}, {{"squeeze_dims", std::vector<int64_t>{0}}}),
            "[?,1]");
  EXPECT_EQ(Infer("Squeeze", {X({1, -1})}), "<unknown>");
  EXPECT_EQ(Infer("ConcatV2", {X({-1, 2}), X({5, -1}), Tensor(0)}), "[?,2]");
  EXPECT_EQ(Infer("ConcatV2", {X({3, 2}), X(Shape::Unknown()), Tensor(1)}), "[3,?]");
  EXPECT_EQ(Infer("ConcatV2", {X({3, 2}), X({3, 2}), X({}, kInt32)}), "[?,?]");
  EXPECT_EQ(Infer("Split", {Tensor(1), X({-1, 6})}, {{"num_split", 2}}), "[?,3] [?,3]");
  EXPECT_EQ(Infer("SplitV", {X({6, -1}), Ints({1, -1}), Tensor(0)}, {{"num_split", 2}}),
            "[1,?] [5,?]");
  EXPECT_EQ(Infer("Pack", {X({-1, 2}), X({3, -1})}, {{"axis", 1}}), "[3,2,2]");
  EXPECT_EQ(Infer("Unpack", {X({2, -1})}, {{"num", 2}}), "[?] [?]");
  EXPECT_EQ(Infer("Tile", {X({-1, 3}), Ints({2, 2})}), "[?,6]");
  EXPECT_EQ(Infer("Transpose", {X({-1, 3, 4}), Ints({2, 0, 1})}), "[4,?,3]");
  EXPECT_EQ(Infer("Transpose", {X({-1, 3}), X({2}, kInt32)}), "[?,?]");
  EXPECT_EQ(Infer("Pad", {X({-1, 3}), Tensor::Of<int32_t>({2, 2}, {1, 1, 0, 2})}), "[?,5]");
  EXPECT_EQ(Infer("Slice", {X({-1, 5}), Ints({1, 2}), Ints({3, -1})}), "[3,3]");
  EXPECT_EQ(Infer("Slice", {X({4, 5}), X({2}, kInt32), Ints({3, -1})}), "[3,?]");
  EXPECT_EQ(Infer("GatherV2", {X({-1, 3}), X({2, 4}, kInt32), Tensor(1)}), "[?,2,4]");
  EXPECT_EQ(Infer("GatherNd", {X({-1, 3}), X({7, 1}, kInt32)}), "[7,3]");
  EXPECT_EQ(Infer("OneHot", {X({-1}, kInt32), Tensor(10), 1.0f, 0.0f}), "[?,10]");
  EXPECT_EQ(Infer("Fill", {Ints({2, 3}), 1.0f}), "[2,3]");
  EXPECT_EQ(Infer("BroadcastTo", {X({-1, 1}), Ints({2, 3})}), "[2,3]");
  EXPECT_EQ(Infer("MatrixDiagPart", {X({-1, 3, 4})}), "[?,3]");
  EXPECT_EQ(Infer("Where", {X({2, 3, 4})}), "[?,3]");
  EXPECT_EQ(Infer("Shape", {X({-1, 3})}), "[2]");
}

TEST_F(InferenceTest, StridedSlices) {
  auto infer = [&](const Shape& shape, std::initializer_list<int32_t> begin,
                   std::initializer_list<int32_t> end, AttrMap masks) {
    return Infer("StridedSlice",
                 {X(shape), Ints(begin), Ints(end),
                  Tensor::Of<int32_t>({static_cast<int64_t>(begin.size())}, {1})},
                 std::move(masks));
  };
  EXPECT_EQ(infer({-1, 5}, {1, 2}, {0, 4}, {{"end_mask", 1}}), "[?,2]");
  EXPECT_EQ(infer({-1, 5}, {0}, {1}, {{"shrink_axis_mask", 1}}), "[5]");
  EXPECT_EQ(infer({-1, 5}, {0, 0}, {0, 0}, {{"ellipsis_mask", 1}, {"new_axis_mask", 2}}),
            "[?,5,1]");
  EXPECT_EQ(infer(Shape::Unknown(), {0}, {1}, {}), "<unknown>");
  EXPECT_EQ(Infer("StridedSlice", {X({4, 5}), X({1}, kInt32), X({1}, kInt32), Ints({1})}), "[?,5]");
}

// The shapes of tensors flow through Shape, StridedSlice and Pack into Reshape.
TEST_F(InferenceTest, ShapesThatAreCalculated) {
  Output x = X({-1, 4, 5});
  Output shape = AddOp(graph_, "Shape", {x}).output(0);
  Output rows = AddOp(graph_, "StridedSlice", {shape, Ints({0}), Ints({1}), Ints({1})},
                      {{"shrink_axis_mask", 1}})
                    .output(0);
  Output sizes = AddOp(graph_, "Pack", {rows, Tensor(20)}, {{"N", 2}}).output(0);
  EXPECT_EQ(Infer("Reshape", {x, sizes}), "[?,20]");
}

TEST_F(InferenceTest, ReshapeToAScalarSize) {
  EXPECT_THAT(Infer("Reshape", {X({4, 6}), X({}, kInt32)}), HasSubstr("must be rank 1"));
}

TEST_F(InferenceTest, SameConvolutionsDoNotDependOnTheFilter) {
  const Output image = X({-1, 4, 3, 2});
  const Tensor paddings = Tensor::Of<int32_t>({4, 2}, {0, 0, 1, 2, 2, 0, 0, 0});
  AttrMap attrs = {{"mode", "REFLECT"}, {"strides", std::vector<int64_t>{1, 2, 3, 1}}};
  attrs.Set("padding", "SAME");
  EXPECT_EQ(Infer("FusedPadConv2D", {image, paddings, X({-1, 3, 2, 3})}, attrs), "[?,4,2,3]");
  attrs.Set("padding", "VALID");
  EXPECT_EQ(Infer("FusedPadConv2D", {image, paddings, X({-1, 3, 2, 3})}, attrs), "[?,?,1,3]");
}

TEST_F(InferenceTest, ErrorsWhileBuildingNameTheNode) {
  EXPECT_THAT(Infer("Reshape", {X({2, 3}), Ints({4})}), HasSubstr("node 'Reshape'"));
  EXPECT_THAT(graph_.status().message(),
              HasSubstr("Cannot reshape a tensor with 6 elements to shape [4]"));
}

TEST(ArrayKernelTest, ViewsShareTheirBuffer) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto shares = [&](StatusOr<Tensor> y) { return y.value().raw_data() == x.raw_data(); };
  EXPECT_TRUE(shares(KernelTester("Reshape").Input(x).Input(Ints({3, 2})).RunOne()));
  EXPECT_TRUE(shares(KernelTester("ExpandDims").Input(x).Input(Tensor(0)).RunOne()));
  EXPECT_TRUE(
      shares(KernelTester("Slice").Input(x).Input(Ints({0, 0})).Input(Ints({-1, 3})).RunOne()));
  EXPECT_TRUE(shares(KernelTester("Bitcast").Input(x).Attr("type", kInt32).RunOne()));
  EXPECT_FALSE(shares(KernelTester("Transpose").Input(x).Input(Ints({1, 0})).RunOne()));
  EXPECT_FALSE(shares(KernelTester("DeepCopy").Input(x).RunOne()));
}

// TensorFlow's kernels accept some arguments that its shape functions refuse, if they are fed.
TEST(ArrayKernelTest, FedArgumentsOfUnusualShapes) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), empty(kFloat, Shape{0, 3});
  const auto shape = [](StatusOr<Tensor> y) {
    return y.ok() ? y->shape().ToString() : y.status().message();
  };
  EXPECT_EQ(shape(KernelTester("Reshape").Input(x).Input(Tensor(-1)).RunOne()), "[6]");
  EXPECT_EQ(shape(KernelTester("Reshape").Input(empty).Input(Tensor(0)).RunOne()), "[0]");
  EXPECT_EQ(
      shape(KernelTester("Reshape").Input(x).Input(Tensor(3)).RunOne()),
      "Input to reshape is a tensor with 6 values, but the requested shape has 3 (shape [3])");
  const auto reverse = [&](const Tensor& value, const Tensor& axes) {
    return shape(KernelTester("ReverseV2").Input(value).Input(axes).RunOne());
  };
  EXPECT_EQ(reverse(empty, Ints({5, 5})), "[0,3]");
  EXPECT_EQ(reverse(empty, Tensor(0)), "[0,3]");
  EXPECT_EQ(reverse(Tensor(1.0f), Ints({5})), "[]");
  EXPECT_EQ(reverse(x, Ints({5})), "'axis'[0] = 5 is out of valid range [0, 1]");
  const Tensor one = Tensor::Of<int32_t>({1, 1, 1}, {1});
  EXPECT_EQ(shape(KernelTester("ExpandDims").Input(x).Input(one).RunOne()), "[2,1,3]");
  EXPECT_EQ(shape(KernelTester("ExpandDims").Input(x).Input(Ints({0, 0})).RunOne()),
            "'dim' must be a tensor with a single value");
  EXPECT_EQ(shape(KernelTester("MatrixDiagPartV3")
                      .Input(x)
                      .Input(Tensor(0))
                      .Input(Tensor::Of<float>({1, 1}, {0}))
                      .Attr("align", "RIGHT_LEFT")
                      .RunOne()),
            "[2]");
  const auto pieces = KernelTester("SplitV")
                          .Input(x)
                          .Input(Tensor::Vector<int64_t>({1, 2}))
                          .Input(one)
                          .Attr("num_split", 2)
                          .Run();
  ASSERT_TRUE(pieces.ok()) << pieces.status().message();
  EXPECT_EQ((*pieces)[1].shape(), (Shape{2, 2}));
}

// Sizes are untrusted: the kernels neither allocate impossible amounts nor read out of bounds.
TEST(ArrayKernelTest, HostileSizesAreErrors) {
  const int64_t huge = int64_t{1} << 62;
  auto fails = [](StatusOr<Tensor> y) { return !y.ok(); };
  EXPECT_TRUE(fails(
      KernelTester("Fill").Input(Tensor::Vector<int64_t>({huge, huge})).Input(1.0f).RunOne()));
  EXPECT_TRUE(
      fails(KernelTester("Fill").Input(Tensor::Vector<int64_t>({huge})).Input(1.0f).RunOne()));
  EXPECT_TRUE(fails(KernelTester("Tile")
                        .Input(Tensor::Vector<float>({1, 2}))
                        .Input(Tensor::Vector<int64_t>({huge}))
                        .RunOne()));
  EXPECT_TRUE(fails(KernelTester("BroadcastTo")
                        .Input(1.0f)
                        .Input(Tensor::Vector<int64_t>({huge, huge}))
                        .RunOne()));
  EXPECT_TRUE(fails(KernelTester("Pad")
                        .Input(Tensor::Vector<float>({1}))
                        .Input(Tensor::Of<int64_t>({1, 2}, {huge, huge}))
                        .RunOne()));
  EXPECT_TRUE(fails(KernelTester("Reshape")
                        .Input(Tensor::Vector<float>({1}))
                        .Input(Tensor::Vector<int64_t>({huge, 4, -1}))
                        .RunOne()));
  EXPECT_TRUE(fails(KernelTester("OneHot")
                        .Input(Tensor::Vector<int64_t>({1, 2, 3}))
                        .Input(Tensor(2000000000))
                        .Input(1.0)
                        .Input(0.0)
                        .Attr("axis", 7)
                        .RunOne()));
  EXPECT_TRUE(
      fails(KernelTester("Fill").Input(Tensor::Of<int32_t>({300}, {1})).Input(1.0f).RunOne()));
}

TEST(ArrayKernelTest, ConstRefusesAValueOfAnotherDtype) {
  auto status =
      KernelTester("Const").Attr("value", Tensor(1.0f)).Attr("dtype", kInt32).Run().status();
  EXPECT_THAT(status.message(),
              HasSubstr("attr 'value' holds a float tensor, but attr 'dtype' is int32"));
}

TEST(ArrayKernelTest, PlaceholderSaysWhatItWants) {
  auto message = [](Shape shape) {
    return KernelTester("Placeholder")
        .Attr("dtype", kFloat)
        .Attr("shape", std::move(shape))
        .Run()
        .status()
        .message();
  };
  EXPECT_THAT(message({-1, 2}),
              HasSubstr("placeholder tensor 'node' with dtype float and shape [?,2]"));
  EXPECT_THAT(message(Shape::Unknown()), HasSubstr("placeholder tensor 'node' with dtype float;"));
  EXPECT_THAT(message({2}), HasSubstr("placeholder values are not saved"));
}

// Dimensions beyond the limit, and strides and bounds at the ends of their range.
TEST(ArrayKernelTest, ExtremeShapesAndSlices) {
  Tensor deep(kFloat, Shape(std::vector<int64_t>(Shape::kMaxRank, 1)));
  EXPECT_FALSE(KernelTester("ExpandDims").Input(deep).Input(Tensor(0)).RunOne().ok());
  EXPECT_FALSE(KernelTester("Pack").Input(deep).Input(deep).RunOne().ok());
  EXPECT_TRUE(KernelTester("Squeeze").Input(deep).RunOne().ok());
  const int64_t low = std::numeric_limits<int64_t>::min(),
                high = std::numeric_limits<int64_t>::max();
  auto slice = [](int64_t begin, int64_t end, int64_t stride) {
    return KernelTester("StridedSlice")
        .Input(Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}))
        .Input(Tensor::Vector<int64_t>({begin}))
        .Input(Tensor::Vector<int64_t>({end}))
        .Input(Tensor::Vector<int64_t>({stride}))
        .RunOne()
        .value();
  };
  EXPECT_EQ(slice(low, high, 1).num_elements(), 6);
  EXPECT_EQ(slice(high, low, -1).num_elements(), 6);
  EXPECT_EQ(slice(0, high, high).num_elements(), 2);
  EXPECT_EQ(slice(high, low, low).num_elements(), 2);
  EXPECT_FALSE(KernelTester("Slice")
                   .Input(Tensor::Vector<float>({1, 2}))
                   .Input(Tensor::Vector<int64_t>({low}))
                   .Input(Tensor::Vector<int64_t>({-1}))
                   .RunOne()
                   .ok());
}

// A gradient that reaches a concatenation as IndexedSlices stays so, split by value.
TEST(ArrayGradientTest, IndexedSlicesThroughConcat) {
  for (int axis : {0, -1}) {
    Graph graph;
    Scope scope(graph);
    const Shape shape_b = axis == 0 ? Shape{3, 2} : Shape{2, 3};
    Output a = scope.Placeholder("a", kFloat, {2, 2}), b = scope.Placeholder("b", kFloat, shape_b);
    Output joined = AddOp(graph, "ConcatV2", {a, b, Tensor(axis)}).output(0);
    const Tensor rows = axis == 0 ? Ints({0, 3, 3}) : Ints({1, 1});
    Output picked = AddOp(graph, "GatherV2", {joined, rows, Tensor(0)}).output(0);
    auto gradients = Gradients({picked}, {a, b}).value();
    ASSERT_TRUE(gradients[0].sparse() && gradients[1].sparse());
    Session session = Session::Create(graph).value();
    auto dense =
        session
            .Run({{a, Tensor::Of<float>({2, 2}, {0})}, {b, Tensor::Of<float>(shape_b, {0})}},
                 {DenseGradient(gradients[0]), DenseGradient(gradients[1])})
            .value();
    auto expected_a = axis == 0 ? Tensor::Of<float>({2, 2}, {1, 1, 0, 0})
                                : Tensor::Of<float>({2, 2}, {0, 0, 2, 2});
    auto expected_b = axis == 0 ? Tensor::Of<float>({3, 2}, {0, 0, 2, 2, 0, 0})
                                : Tensor::Of<float>({2, 3}, {0, 0, 0, 2, 2, 2});
    EXPECT_TRUE(dense[0].BitwiseEquals(expected_a)) << axis << ": " << dense[0].ToString();
    EXPECT_TRUE(dense[1].BitwiseEquals(expected_b)) << axis << ": " << dense[1].ToString();
  }
}

TEST(ArrayGradientTest, PreventGradientSaysWhy) {
  Graph graph;
  Output x = Scope(graph).Placeholder("x", kFloat, {2});
  Output y = AddOp(graph, "PreventGradient", {x}, {{"message", "because"}}).output(0);
  EXPECT_THAT(Gradients({y}, {x}).status().message(),
              HasSubstr("Gradient explicitly disabled. Reason: because"));
}

TEST(ArrayKernelTest, LongSplits) {
  KernelTester tester("SplitV");
  tester.Input(Tensor::Of<float>({1000}, {1}))
      .Input(Tensor::Of<int64_t>({1000}, {1}))
      .Input(Tensor(0));
  EXPECT_EQ(tester.Attr("num_split", 1000).Run().value().size(), 1000u);
}

}  // namespace
}  // namespace ramet
