#include "ramet/gradients/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/tuple.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/test_ops.h"

namespace ramet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status AnyShape(ShapeContext&) { return OkStatus(); }

RAMET_OP("Mul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: type")
    .Shape(BroadcastBinaryShape)
    .Gradient([](GradientContext& c) {
      Output x = c.grad() * c.input(1);
      Output y = c.input(0) * c.grad();
      return c.ReturnBroadcast(x, y);
    });
RAMET_OP("Square")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(UnchangedShape)
    .Gradient([](GradientContext& c) { return c.Return({c.grad() * c.input(0)}); });
RAMET_OP("Twin")
    .Input("x: T")
    .Output("a: T")
    .Output("b: T")
    .Attr("T: type")
    .Shape(AnyShape)
    .Gradient([](GradientContext& c) { return c.Return({c.grad(0) * c.grad(1)}); });
RAMET_OP("Mystery").Input("x: T").Output("y: T").Attr("T: type").Shape(UnchangedShape);
RAMET_OP("Blocked")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(UnchangedShape)
    .NotDifferentiable();
RAMET_OP("Wrong")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(UnchangedShape)
    .Gradient([](GradientContext& c) {
      return c.Return({c.grad(), c.grad()});
    });
RAMET_OP("ToInt").Input("x: T").Output("y: int32").Attr("T: type").Shape(UnchangedShape);
RAMET_OP("FromInt").Input("x: int32").Output("y: float").Shape(UnchangedShape);
RAMET_OP("Exit").Input("x: T").Output("y: T").Attr("T: type").Shape(UnchangedShape);
RAMET_OP("Rows")
    .Input("params: float")
    .Input("indices: Tindices")
    .Output("y: float")
    .Attr("Tindices: {int32, int64}")
    .Shape(AnyShape)
    .Gradient([](GradientContext& c) {
      Gradient g;
      g.values = c.grad();
      g.indices = c.input(1);
      g.dense_shape = c.Add("Shape", {c.input(0)});
      return c.Return({g, Gradient()});
    });
RAMET_OP("Shape").Input("x: T").Output("y: int32").Attr("T: type").Shape(AnyShape);
RAMET_OP("Fill")
    .Input("dims: int32")
    .Input("value: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(AnyShape);
RAMET_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(UnchangedShape);
RAMET_OP("ZerosLike").Input("x: T").Output("y: T").Attr("T: type").Shape(UnchangedShape);
RAMET_OP("Sum")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(AnyShape);
RAMET_OP("Reshape")
    .Input("tensor: T")
    .Input("shape: int32")
    .Output("y: T")
    .Attr("T: type")
    .Shape(AnyShape);
RAMET_OP("BroadcastGradientArgs")
    .Input("s0: int32")
    .Input("s1: int32")
    .Output("r0: int32")
    .Output("r1: int32")
    .Shape(AnyShape);
RAMET_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: int32")
    .Input("end: int32")
    .Input("strides: int32")
    .Output("y: T")
    .Attr("shrink_axis_mask: int = 0")
    .Attr("T: type")
    .Shape(AnyShape);
RAMET_OP("UnsortedSegmentSum")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: int32")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tindices: type")
    .Shape(AnyShape);
RAMET_OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: int32")
    .Output("y: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Shape(AnyShape);
RAMET_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Shape(UnchangedShape);

class GradientsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto pass_both = [](GradientContext& c) { return c.ReturnBroadcast(c.grad(), c.grad()); };
    ASSERT_TRUE(GradientRegistry::Global().Register("AddV2", pass_both).ok());
    auto pass = [](GradientContext& c) { return c.Return({c.grad()}); };
    ASSERT_TRUE(GradientRegistry::Global().Register("Identity", pass).ok());
  }
  static void TearDownTestSuite() {
    GradientRegistry::Global().Unregister("AddV2");
    GradientRegistry::Global().Unregister("Identity");
  }

  Output X(std::string_view name = "x", const Shape& shape = {2}) {
    return s.Placeholder(name, kFloat, shape);
  }
  Output Op(std::string_view op, const std::vector<Input>& inputs, std::string_view name = "") {
    return AddOp(g, op, inputs, {}, name).output(0);
  }
  std::vector<std::string> NamesSince(int first) {
    std::vector<std::string> names;
    for (int i = first; i < g.num_operations(); ++i) names.push_back(g.operation(i).name());
    return names;
  }
  static std::string InputName(const Output& o, int i) { return o.op().input(i).name(); }

  Graph g;
  Scope s{g};
};

TEST_F(GradientsTest, NamesAreTensorFlows) {
  Output x = X();
  Output y = Op("Square", {x});
  const int before = g.num_operations();
  auto grads = Gradients({y}, {x});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  EXPECT_THAT(NamesSince(before), ElementsAre("gradients/Shape", "gradients/grad_ys_0/Const",
                                              "gradients/grad_ys_0", "gradients/Square_grad/mul"));
  EXPECT_EQ((*grads)[0].values.name(), "gradients/Square_grad/mul:0");
  EXPECT_EQ(InputName((*grads)[0].values, 0), "gradients/grad_ys_0:0");
}

TEST_F(GradientsTest, SecondCallHasItsOwnScope) {
  Output x = X();
  Output y = Op("Square", {x});
  ASSERT_TRUE(Gradients({y}, {x}).ok());
  EXPECT_EQ((*Gradients({y}, {x}))[0].values.name(), "gradients_1/Square_grad/mul:0");
  EXPECT_EQ((*Gradients({y}, {x}, {.name = "mine"}))[0].values.name(), "mine/Square_grad/mul:0");
}

TEST_F(GradientsTest, SeveralUsesAreAdded) {
  Output x = X();
  Output y = Op("AddV2", {Op("Square", {x}), Op("Square", {x})});
  auto grads = Gradients({y}, {x});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  const Output sum = (*grads)[0].values;
  EXPECT_EQ(sum.name(), "gradients/AddN:0");
  EXPECT_EQ(sum.op().num_inputs(), 2);
  EXPECT_THAT(*sum.op().attr<std::vector<std::string>>("_class"),
              ElementsAre("loc:@gradients/Square_grad/mul"));
}

TEST_F(GradientsTest, TreeAggregationAddsInPairs) {
  Output x = X();
  Output y = Op("AddV2", {Op("AddV2", {Op("Square", {x}), Op("Square", {x})}), Op("Square", {x})});
  auto grads = Gradients({y}, {x}, {.aggregation = Aggregation::kTree});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  EXPECT_EQ((*grads)[0].values.name(), "gradients/x_gradient_sum/AddN_1:0");
  EXPECT_EQ(InputName((*grads)[0].values, 0), "gradients/x_gradient_sum/AddN:0");
}

TEST_F(GradientsTest, WithRespectToAnInnerTensorStopsThere) {
  Output x = X();
  Output h = Op("Square", {x}, "h");
  Output y = Op("Square", {h}, "y");
  auto grads = Gradients({y}, {h});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0].values.name(), "gradients/y_grad/mul:0");
  EXPECT_FALSE(g.HasOperation("gradients/h_grad/mul"));
}

TEST_F(GradientsTest, InnerAndOuterTargetsTogether) {
  Output x = X();
  Output h = Op("Square", {x}, "h");
  Output y = Op("Square", {h}, "y");
  auto grads = Gradients({y}, {h, x, y});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0].values.name(), "gradients/y_grad/mul:0");
  EXPECT_EQ((*grads)[1].values.name(), "gradients/h_grad/mul:0");
  EXPECT_EQ((*grads)[2].values.name(), "gradients/grad_ys_0:0");
}

TEST_F(GradientsTest, UnconnectedIsNoneOrZeros) {
  Output x = X(), z = X("z"), u = X("u", {-1});
  Output y = Op("Square", {x});
  EXPECT_FALSE((*Gradients({y}, {z}))[0].exists());
  auto zeros = Gradients({y}, {x, z, u}, {.unconnected = Unconnected::kZero});
  ASSERT_TRUE(zeros.ok()) << zeros.status().ToString();
  EXPECT_EQ((*zeros)[1].values.op().type(), "Const");
  EXPECT_EQ((*zeros)[1].values.name(), "zeros_like:0");
  EXPECT_EQ((*zeros)[1].values.shape(), Shape({2}));
  EXPECT_EQ((*zeros)[2].values.op().type(), "ZerosLike");
}

TEST_F(GradientsTest, StopGradientsCut) {
  Output x = X();
  Output h = Op("Square", {x}, "h");
  Output y = Op("Mul", {h, x}, "y");
  auto grads = Gradients({y}, {x}, {.stop_gradients = {h}});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0].values.name(), "gradients/y_grad/mul_1:0");
  EXPECT_FALSE(g.HasOperation("gradients/h_grad/mul"));
}

TEST_F(GradientsTest, NoGradientFlowsThroughIntegersOrBlockedOps) {
  Output x = X();
  EXPECT_FALSE((*Gradients({Op("FromInt", {Op("ToInt", {x})})}, {x}))[0].exists());
  EXPECT_FALSE((*Gradients({Op("Blocked", {x})}, {x}))[0].exists());
}

TEST_F(GradientsTest, MissingGradientIsNotFound) {
  Output x = X();
  Output y = Op("Mystery", {x}, "n");
  auto grads = Gradients({y}, {x});
  EXPECT_TRUE(IsNotFound(grads.status()));
  EXPECT_THAT(grads.status().message(),
              HasSubstr("No gradient defined for operation 'n' (op type: Mystery)"));
}

TEST_F(GradientsTest, MissingGradientOffThePathDoesNotMatter) {
  Output x = X();
  Output y = Op("Mul", {x, Op("Mystery", {X("z")})});
  EXPECT_TRUE(Gradients({y}, {x}).ok());
}

TEST_F(GradientsTest, OverriddenByAttribute) {
  auto triple = [](GradientContext& c) {
    return c.Return({c.Add("Identity", {c.grad()}, {}, "mine")});
  };
  ASSERT_TRUE(GradientRegistry::Global().Register("MyGrad", triple).ok());
  EXPECT_TRUE(IsAlreadyExists(GradientRegistry::Global().Register("MyGrad", triple)));
  Output x = X();
  Output y = AddOp(g, "Mystery", {x}, {{"_gradient_op_type", "MyGrad"}}, "n").output(0);
  auto grads = Gradients({y}, {x});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  EXPECT_EQ((*grads)[0].values.name(), "gradients/n_grad/mine:0");
  EXPECT_TRUE(GradientRegistry::Global().Unregister("MyGrad"));
  EXPECT_FALSE(GradientRegistry::Global().Unregister("MyGrad"));
}

TEST_F(GradientsTest, WrongNumberOfGradientsIsAnError) {
  Output x = X();
  auto grads = Gradients({Op("Wrong", {x}, "w")}, {x});
  EXPECT_TRUE(IsInvalidArgument(grads.status()));
  EXPECT_THAT(grads.status().message(), HasSubstr("Num gradients 2 generated for op 'w'"));
}

TEST_F(GradientsTest, OutputsWithoutGradientGetZeros) {
  Output x = X();
  Operation twin = AddOp(g, "Twin", {x});
  auto grads = Gradients({twin.output(1)}, {x});
  ASSERT_TRUE(grads.ok());
  const Output product = (*grads)[0].values;
  EXPECT_EQ(InputName(product, 0), "gradients/zeros_like:0");
  EXPECT_EQ(InputName(product, 1), "gradients/grad_ys_0:0");
}

TEST_F(GradientsTest, GatedGradientsGoThroughATuple) {
  Output x = X(), z = X("z");
  auto grads = Gradients({Op("Mul", {x, z}, "m")}, {x, z}, {.gate_gradients = true});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0].values.name(), "gradients/m_grad/tuple/control_dependency:0");
  EXPECT_EQ((*grads)[1].values.name(), "gradients/m_grad/tuple/control_dependency_1:0");
  const Operation first = (*grads)[0].values.op();
  EXPECT_THAT(first.control_inputs(),
              ElementsAre(*g.FindOperation("gradients/m_grad/tuple/group_deps")));
  EXPECT_THAT(*first.attr<std::vector<std::string>>("_class"),
              ElementsAre("loc:@gradients/m_grad/mul"));
}

TEST_F(GradientsTest, BroadcastIsReversedAccordingToShapes) {
  Output x = X("x", {4, 3}), b = X("b", {3}), u = X("u", {-1, 3});
  auto known = Gradients({Op("AddV2", {x, b}, "known")}, {x, b});
  ASSERT_TRUE(known.ok());
  EXPECT_EQ((*known)[0].values.name(), "gradients/grad_ys_0:0");
  EXPECT_EQ((*known)[1].values.name(), "gradients/known_grad/Reshape:0");
  auto unknown = Gradients({Op("AddV2", {u, u}, "unknown")}, {u});
  ASSERT_TRUE(unknown.ok());
  EXPECT_TRUE(g.HasOperation("gradients_1/unknown_grad/BroadcastGradientArgs"));
  EXPECT_EQ((*unknown)[0].values.op().type(), "AddN");
}

TEST_F(GradientsTest, GradYsAreUsedAndChecked) {
  Output x = X(), y = Op("Square", {x}), start = X("start");
  auto grads = Gradients({y}, {x}, {.grad_ys = {start}});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*g.FindOperation("gradients/grad_ys_0")).input(0), start);
  EXPECT_THAT(Gradients({y}, {x}, {.grad_ys = {start, start}}).status().message(),
              HasSubstr("Length mismatch. Passed 2 grad_ys for 1 ys"));
  Output text = s.Placeholder("text", kString, {2});
  EXPECT_TRUE(IsInvalidArgument(Gradients({y}, {x}, {.grad_ys = {text}}).status()));
  EXPECT_TRUE(IsInvalidArgument(Gradients({text}, {x}).status()));
}

TEST_F(GradientsTest, SparseGradientsAreConcatenated) {
  Output w = X("w", {100, 3});
  Output i = s.Placeholder("i", kInt32, {-1}), j = s.Placeholder("j", kInt64, {-1});
  Output a = Op("Rows", {w, i}, "a"), b = Op("Rows", {w, j}, "b");
  auto grads = Gradients({a, b}, {w});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  const Gradient& sum = (*grads)[0];
  ASSERT_TRUE(sum.sparse());
  EXPECT_EQ(sum.values.name(), "gradients/concat:0");
  EXPECT_EQ(sum.indices.name(), "gradients/concat_1:0");
  EXPECT_EQ(sum.indices.dtype(), kInt64);
  EXPECT_EQ(sum.dense_shape.name(), "gradients/a_grad/Shape:0");
  EXPECT_EQ(DenseGradient(sum).op().type(), "UnsortedSegmentSum");
}

TEST_F(GradientsTest, SparseAndDenseAreAddedDense) {
  Output w = X("w", {100, 3}), i = s.Placeholder("i", kInt32, {-1});
  auto grads = Gradients({Op("Rows", {w, i}), Op("Square", {w})}, {w});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  const Output sum = (*grads)[0].values;
  EXPECT_FALSE((*grads)[0].sparse());
  EXPECT_EQ(sum.name(), "gradients/AddN:0");
  EXPECT_THAT((std::vector<std::string>{InputName(sum, 0), InputName(sum, 1)}),
              Contains("gradients/AddN/inputs_0:0"));
}

TEST_F(GradientsTest, ColocatesWithForwardOps) {
  Output x = X();
  Output y = Op("Square", {x}, "y");
  auto grads = Gradients({y}, {x}, {.colocate_gradients_with_ops = true});
  ASSERT_TRUE(grads.ok());
  EXPECT_THAT(*(*grads)[0].values.op().attr<std::vector<std::string>>("_class"),
              ElementsAre("loc:@y"));
}

TEST_F(GradientsTest, LoopsWithoutContextsAreRejectedByName) {
  Output x = X();
  auto grads = Gradients({Op("Exit", {x}, "loop/Exit")}, {x});
  EXPECT_EQ(grads.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(grads.status().message(), HasSubstr("loop/Exit"));
}

TEST_F(GradientsTest, BadArgumentsAreErrors) {
  Graph other;
  Output x = X(), foreign = Scope(other).Placeholder("f", kFloat);
  EXPECT_TRUE(IsInvalidArgument(Gradients({}, {x}).status()));
  EXPECT_TRUE(IsInvalidArgument(Gradients({x}, {}).status()));
  EXPECT_TRUE(IsInvalidArgument(Gradients({x}, {Output()}).status()));
  EXPECT_THAT(Gradients({x}, {foreign}).status().message(),
              HasSubstr("is not an element of this graph."));
  Op("NoSuchOp", {x});
  EXPECT_THAT(Gradients({x}, {x}).status().message(), HasSubstr("NoSuchOp"));
}

TEST_F(GradientsTest, ALongChainNeedsNoDeepStack) {
  constexpr int kLength = 100000;
  Output x = X("x", {});
  Output y = x;
  for (int i = 0; i < kLength; ++i)
    y = AddOp(g, "Identity", {y}, {}, StrCat("i", i, "/")).output(0);
  auto grads = Gradients({y}, {x});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ((*grads)[0].values.name(), "gradients/grad_ys_0:0");
}

TEST_F(GradientsTest, TupleKeepsMissingGradients) {
  auto gated = Tuple(g, {Gradient(X()), Gradient()});
  EXPECT_TRUE(gated[0].exists());
  EXPECT_FALSE(gated[1].exists());
  EXPECT_TRUE(g.HasOperation("tuple/group_deps"));
  EXPECT_FALSE(Tuple(g, {Gradient()})[0].exists());
}

}  // namespace
}  // namespace ramet
