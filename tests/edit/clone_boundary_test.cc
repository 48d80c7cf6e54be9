// Tests clones of parts of graphs: inputs and outputs, lists, scopes, replacements, and errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

namespace ramet {
namespace {

using ::testing::HasSubstr;

class CloneBoundaryTest : public ::testing::Test {
 protected:
  CloneBoundaryTest() {
    x = s.Placeholder("x", kFloat, {});
    Scope net(g, "net");
    w = net.GetVariable("w", {}, ConstantInit(3.0));
    h = AddOp(g, "Mul", {x, w}, {}, "h").output(0);
    out = AddOp(g, "AddV2", {h, 1.0f}, {}, "out").output(0);
    train = GradientDescent(0.1).Minimize(out);
  }
  std::string Refused(Graph& graph, const CloneOptions& options) {
    const int before = graph.num_operations();
    const size_t variables = graph.variables().size();
    auto c = Clone(g, options);
    EXPECT_FALSE(c.ok());
    EXPECT_EQ(graph.num_operations(), before);
    EXPECT_EQ(graph.variables().size(), variables);
    return c.ok() ? "" : std::string(c.status().message());
  }
  float Run(Graph& graph, const Operation& init, const Output& x_there, const Output& y) {
    Session session = Session::Create(graph).value();
    auto ready = session.Run(init);
    EXPECT_TRUE(ready.ok()) << ready.status().ToString();
    auto run = session.Run({{x_there, 5.0f}}, y);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return run.ok() ? run->scalar<float>() : -1;
  }

  Graph g;
  Scope s{g};
  Output x, h, out;
  Variable w;
  Operation train;
};

TEST_F(CloneBoundaryTest, OutputsCloneOnlyWhatTheyNeed) {
  Cloned c = Clone(g, {.inputs = {"x:0"}, .outputs = {"net/out:0"}, .dst_scope = "target"}).value();
  EXPECT_EQ(c.Transformed("x:0").name(), "target/x:0");
  EXPECT_EQ(c.Transformed(out).name(), "target/net/out:0");
  EXPECT_FALSE(c.Transformed(train).valid());
  EXPECT_EQ(Run(g, c.init_op(), c.Transformed(x), c.Transformed(out)), 16.0f);
}

TEST_F(CloneBoundaryTest, InnerTensorsBecomePlaceholders) {
  Cloned c = Clone(g, {.inputs = {h}, .outputs = {out}}).value();
  EXPECT_TRUE(c.variables().empty());
  EXPECT_EQ(c.Transformed(h).name(), "copy/net/h:0");
  EXPECT_EQ(c.Transformed(h).op().type(), "Placeholder");
  EXPECT_FALSE(c.Transformed(x).valid());
  EXPECT_EQ(Run(g, c.init_op(), c.Transformed(h), c.Transformed(out)), 6.0f);
}

TEST_F(CloneBoundaryTest, ScopesAreReplacedByTheNewOne) {
  Cloned c = Clone(g, {.scope = "net", .dst_scope = "target"}).value();
  EXPECT_EQ(c.Transformed(w).op_name(), "target/w");
  EXPECT_EQ(c.Transformed(out).name(), "target/out:0");
  EXPECT_EQ(c.Transformed(h).op().input(0), x) << "outside tensors are read as before";
  EXPECT_EQ(Run(g, c.init_op(), x, c.Transformed(out)), 16.0f);
  Scope again(g, "target", {.reuse = Reuse::kYes});
  EXPECT_EQ(again.GetVariable("w", {}), c.Transformed(w));
}

TEST_F(CloneBoundaryTest, ListedOperationsKeepReadingOutsideTensors) {
  Cloned c = Clone(g, {.ops = {"net/out"}}).value();
  EXPECT_EQ(c.operations().size(), 1u);
  EXPECT_EQ(c.Transformed(out).op().input(0), h);
}

TEST_F(CloneBoundaryTest, ReplacementsAreReadInstead) {
  Output z = s.Placeholder("z", kFloat, {});
  Cloned c = Clone(g, {.outputs = {out}, .input_map = {{x, z}}}).value();
  EXPECT_EQ(c.Transformed(x), z);
  EXPECT_FALSE(g.HasOperation("copy/x"));
  EXPECT_EQ(Run(g, c.init_op(), z, c.Transformed(out)), 16.0f);
}

TEST_F(CloneBoundaryTest, IntoAnotherGraph) {
  Graph other;
  Cloned c = Clone(g, {.inputs = {x}, .outputs = {out}, .into = &other, .dst_scope = ""}).value();
  EXPECT_EQ(c.Transformed(out).name(), "net/out:0");
  EXPECT_EQ(Run(other, c.init_op(), c.Transformed(x), c.Transformed(out)), 16.0f);
  Cloned twice =
      Clone(g, {.inputs = {x}, .outputs = {out}, .into = &other, .dst_scope = ""}).value();
  EXPECT_EQ(twice.Transformed(out).name(), "net/out_1:0");
  EXPECT_EQ(Run(other, twice.init_op(), twice.Transformed(x), twice.Transformed(out)), 16.0f);
}

TEST_F(CloneBoundaryTest, CurrentValuesGoIntoAnotherGraph) {
  Graph other;
  EXPECT_THAT(Refused(other, {.outputs = {out}, .into = &other, .initial = kCurrent}),
              HasSubstr("clone: session: "));
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Assign(w, Tensor(7.0f)).ok());
  Cloned c = Clone(g, {.outputs = {out},
                       .into = &other,
                       .initial = kCurrent,
                       .session = [&](const Variable& v) { return session.Value(v); }})
                 .value();
  EXPECT_EQ(Run(other, c.init_op(), c.Transformed(x), c.Transformed(out)), 36.0f);
  EXPECT_THAT(c.UpdateOp().status().message(), HasSubstr("a different graph"));
}

TEST_F(CloneBoundaryTest, SlotsAreClonedOnRequest) {
  Graph graph;
  Scope scope(graph);
  Variable v = scope.GetVariable("v", {}, ConstantInit(1.0));
  Output loss = Square(v);
  Momentum(0.1, 0.9).Minimize(loss);
  ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
  EXPECT_EQ(Clone(graph, {.outputs = {loss}}).value().variables().size(), 1u);
  Cloned c = Clone(graph, {.outputs = {loss}, .slots = true}).value();
  ASSERT_EQ(c.variables().size(), 2u);
  EXPECT_EQ(c.variables()[1].copy.op_name(), "copy_1/v/Momentum");
}

TEST_F(CloneBoundaryTest, PartsOfALoopBody) {
  Output inside, result;
  Outputs last = WhileLoop(
      s, [&](const Outputs& v) { return Less(v[0], 3); },
      [&](const Outputs& v) {
        inside = v[1];
        result = v[1] * w;
        return Outputs{v[0] + 1, result};
      },
      {0, 1.0});
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Cloned c = Clone(g, {.inputs = {inside}, .outputs = {result}, .dst_scope = "body"}).value();
  EXPECT_EQ(Run(g, c.init_op(), c.Transformed(inside), c.Transformed(result)), 15.0f);
  EXPECT_THAT(Refused(g, {.inputs = {inside}, .outputs = {last[1]}}),
              HasSubstr("is inside the loop 'while/while_context'"));
  Cloned around = Clone(g, {.outputs = {last[1]}, .dst_scope = "around"}).value();
  EXPECT_TRUE(around.Transformed(last[0]).valid()) << "all variables of a loop are cloned";
}

TEST_F(CloneBoundaryTest, ReplacementsOfOtherShapesGiveTheCopiesTheirShapes) {
  Output image = s.Placeholder("image", kFloat, {-1, 3});
  Output sum = AddOp(g, "AddV2", {image, 1.0f}, {}, "sum").output(0);
  Output product = AddOp(g, "Mul", {sum, sum}, {}, "product").output(0);
  Cloned more = Clone(g, {.outputs = {product},
                          .input_map = {{image, ClonePlaceholder{.shape = Shape{7, 3}}}}})
                    .value();
  EXPECT_EQ(more.Transformed(product).shape(), Shape({7, 3}));
  Output seven = s.Placeholder("seven", kFloat, {7, 3});
  Output twice = AddOp(g, "AddV2", {seven, seven}, {}, "twice").output(0);
  Output any = s.Placeholder("any", kFloat, Shape::Unknown());
  Cloned less = Clone(g, {.outputs = {twice}, .input_map = {{seven, any}}}).value();
  EXPECT_TRUE(less.Transformed(twice).shape().unknown_rank());
  Cloned same = Clone(g, {.inputs = {sum}, .outputs = {product}}).value();
  EXPECT_EQ(same.Transformed(product).shape(), Shape({-1, 3}));
}

TEST_F(CloneBoundaryTest, ReplacementsOfOtherValuesGiveTheCopiesTheirShapes) {
  Output image = s.Placeholder("image", kFloat, Shape::Unknown());
  Output dims = Constant(g, Tensor::Vector<int32_t>({2, 6}), "dims");
  Output shaped = AddOp(g, "Reshape", {image, dims}, {}, "shaped").output(0);
  Output twice = AddOp(g, "AddV2", {shaped, shaped}, {}, "twice").output(0);
  ASSERT_EQ(twice.shape(), Shape({2, 6}));
  Cloned fed = Clone(g, {.inputs = {dims}, .outputs = {twice}}).value();
  EXPECT_EQ(fed.Transformed(twice).shape(), Shape({-1, -1}));
  Output others = Constant(g, Tensor::Vector<int32_t>({4, 3}), "others");
  Cloned other = Clone(g, {.outputs = {twice}, .input_map = {{dims, others}}}).value();
  EXPECT_EQ(other.Transformed(twice).shape(), Shape({4, 3}));
}

TEST_F(CloneBoundaryTest, ReplacementsOfPaddingsAndLimitsGiveTheCopiesTheirShapes) {
  Output row = s.Placeholder("row", kFloat, {3});
  Output paddings = Constant(g, Tensor::Of<int32_t>({1, 2}, {1, 1}), "paddings");
  Output padded = AddOp(g, "Pad", {row, paddings}, {}, "padded").output(0);
  Output wide = Constant(g, Tensor::Of<int32_t>({1, 2}, {2, 4}), "wide");
  Cloned pad = Clone(g, {.outputs = {padded}, .input_map = {{paddings, wide}}}).value();
  EXPECT_EQ(pad.Transformed(padded).shape(), Shape({9}));

  Output limit = Constant(g, Tensor(2.5f), "limit");
  Output range =
      AddOp(g, "Range", {Constant(g, Tensor(0.0f)), limit, Constant(g, Tensor(0.5f))}, {}, "range")
          .output(0);
  ASSERT_EQ(range.shape(), Shape({5}));
  Output more = Constant(g, Tensor(3.5f), "more");
  Cloned longer = Clone(g, {.outputs = {range}, .input_map = {{limit, more}}}).value();
  EXPECT_EQ(longer.Transformed(range).shape(), Shape({7}));
}

TEST_F(CloneBoundaryTest, ReplacementsOfHandlesGiveTheCopiesTheirShapes) {
  Output shape = Constant(g, Tensor::Vector<int32_t>({2}), "shape");
  Output list = AddOp(g, "EmptyTensorList", {shape, Constant(g, Tensor(9))},
                      {{"element_dtype", kFloat}, {"shape_type", kInt32}}, "list")
                    .output(0);
  Output item = AddOp(g, "TensorListGetItem", {list, Constant(g, Tensor(0)), shape},
                      {{"element_dtype", kFloat}}, "item")
                    .output(0);
  ASSERT_EQ(item.shape(), Shape({2}));
  Output longer = Constant(g, Tensor::Vector<int32_t>({3}), "longer");
  Cloned of_list = Clone(g, {.outputs = {item}, .input_map = {{shape, longer}}}).value();
  EXPECT_EQ(of_list.Transformed(item).shape(), Shape({3}));

  Variable of_two = s.GetVariable("of_two", {2}, {.use_resource = true});
  Variable of_three = s.GetVariable("of_three", {3}, {.use_resource = true});
  Output twice = of_two * 2.0f;
  Cloned c = Clone(g, {.outputs = {twice}, .input_map = {{of_two.ref(), of_three.ref()}}}).value();
  EXPECT_EQ(c.Transformed(twice).shape(), Shape({3}));
}

// The placeholder of a second output has the number of the output in its name.
TEST_F(CloneBoundaryTest, PlaceholdersOfLaterOutputsGetUniqueNames) {
  Output image = s.Placeholder("image", kFloat, {2});
  Operation both = AddOp(g, "Unpack", {image}, {{"num", 2}}, "both");
  Output other = AddOp(g, "Neg", {both.output(0)}, {}, "both_1").output(0);
  Output sum = AddOp(g, "AddV2", {other, both.output(1)}, {}, "sum").output(0);
  Cloned c = Clone(g, {.inputs = {both.output(1)}, .outputs = {sum}}).value();
  EXPECT_NE(c.Transformed(both.output(1)).name(), c.Transformed(other).name());
  Graph again;
  EXPECT_TRUE(ImportGraphDef(again, ExportGraphDef(g).value()).ok());
}

TEST_F(CloneBoundaryTest, ShapesThatAnOpRefusesAreErrors) {
  Output a = s.Placeholder("a", kFloat, Shape::Unknown());
  Output b = s.Placeholder("b", kFloat, {3, 4});
  Output copy = AddOp(g, "Identity", {a}, {}, "through").output(0);
  Output product = AddOp(g, "MatMul", {copy, b}, {}, "product").output(0);
  const ClonePlaceholder bad{.shape = Shape{2, 5}};
  const std::string error = Refused(g, {.outputs = {product}, .input_map = {{a, bad}}});
  EXPECT_THAT(error, HasSubstr("clone: node 'copy/product' (MatMul): "));
  EXPECT_THAT(error, HasSubstr("Dimensions must be equal"));
  Graph there;
  EXPECT_EQ(Refused(there, {.outputs = {product}, .into = &there, .input_map = {{a, bad}}}), error);
}

TEST_F(CloneBoundaryTest, AnEnterWithoutItsLoopPassesOnItsShape) {
  Output scalar = s.Placeholder("scalar", kInt32, {}), vector = s.Placeholder("v", kInt32, {-1});
  Output enter = AddOp(g, "Enter", {scalar}, {{"frame_name", "loop"}}, "enter").output(0);
  Output same = AddOp(g, "Neg", {enter}, {}, "same").output(0);
  ASSERT_TRUE(same.shape().unknown_rank());
  EXPECT_EQ(Clone(g, {.outputs = {same}}).value().Transformed(same).shape(), Shape({}));
  Operation args = AddOp(g, "BroadcastGradientArgs", {enter, vector}, {}, "args");
  EXPECT_THAT(Refused(g, {.outputs = {args}}),
              HasSubstr("clone: node 'copy_1/args' (BroadcastGradientArgs): Shape must be rank 1"));
}

TEST_F(CloneBoundaryTest, AnEnterOfAVariableWithoutItsLoopKeepsTheVariable) {
  Operation variable = AddOp(g, "VariableV2", {}, {{"shape", Shape{2}}, {"dtype", kFloat}}, "ref");
  Operation enter = AddOp(g, "RefEnter", {variable.output(0)}, {{"frame_name", "loop"}}, "enter");
  Operation step =
      AddOp(g, "AssignAdd", {enter.output(0), s.Placeholder("delta", kFloat, {2})}, {}, "step");
  const Cloned copy = Clone(g, {.outputs = {step.output(0)}, .initial = kCurrent}).value();
  const Operation added = copy.Transformed(step.output(0)).op();
  EXPECT_EQ(added.input(0).op().type(), "RefIdentity");
  Graph again;
  EXPECT_TRUE(ImportGraphDef(again, ExportGraphDef(g).value(), {.name = ""}).ok());
}

TEST_F(CloneBoundaryTest, ErrorsNameTheArgument) {
  Graph other;
  EXPECT_THAT(Refused(g, {.outputs = {"nothing:0"}}), HasSubstr("outputs"));
  EXPECT_THAT(Refused(g, {.inputs = {"net/w:0"}, .outputs = {out}}), HasSubstr("reference"));
  EXPECT_THAT(Refused(g, {.outputs = {out}, .scope = "net"}), HasSubstr("outputs"));
  EXPECT_THAT(Refused(g, {.scope = "nowhere"}), HasSubstr("scope"));
  EXPECT_THAT(Refused(g, {.dst_scope = "a b"}), HasSubstr("dst_scope"));
  EXPECT_THAT(Refused(other, {.scope = "net", .into = &other}), HasSubstr("'x:0'"));
  EXPECT_THAT(Refused(other, {.into = &other, .variables = CloneState::kShared}),
              HasSubstr("'net/w'"));
  Output text = s.Placeholder("text", kString);
  EXPECT_THAT(Refused(g, {.outputs = {out}, .input_map = {{"x:0", text}}}), HasSubstr("string"));
  Output wide = s.Placeholder("wide", kFloat, {3});
  EXPECT_THAT(Refused(g, {.outputs = {out}, .input_map = {{"x:0", wide}}}), HasSubstr("[3]"));
  other.Finalize();
  EXPECT_THAT(Refused(other, {.into = &other}), HasSubstr("finalized"));
}

}  // namespace
}  // namespace ramet
