// Tests gradients through branches and loops: their values, and that the nodes are those of
// tf.gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ramet/graph/control_flow_context.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Values = std::vector<Output>;

// Like tf.while_loop.
Values BuildWhile(Graph& g, const Values& start, const std::function<Output(Values)>& condition,
                  const std::function<Values(Values)>& body, const WhileOptions& options = {}) {
  Scope here(g);
  Scope scope = here.NameScope("while");
  WhileContext& loop = WhileContext::New(g, options);
  const Values merged = loop.Begin(start).value();
  const Values inside = loop.SetCondition(condition(merged)).value();
  return loop.Finish(body(inside)).value();
}

Output BuildBranch(Graph& g, const Output& pred, const Output& pivot, int branch,
                   const std::function<Output()>& build) {
  CondContext& context = CondContext::New(g, pred, pivot, branch);
  context.Enter();
  const Output result = context.ProcessOutput(build()).value();
  context.ExitResult({result});
  context.Exit();
  return result;
}

// Like tf.cond.
Output BuildCond(Graph& g, const Output& pred, const std::function<Output()>& on_true,
                 const std::function<Output()>& on_false) {
  Scope here(g);
  Scope scope = here.NameScope("cond");
  Operation sides = AddOp(g, "Switch", {pred, pred});
  Output yes = AddOp(g, "Identity", {sides.output(1)}, {}, "switch_t").output(0);
  Output no = AddOp(g, "Identity", {sides.output(0)}, {}, "switch_f").output(0);
  Output id = AddOp(g, "Identity", {pred}, {}, "pred_id").output(0);
  const Output t = BuildBranch(g, id, yes, 1, on_true);
  const Output f = BuildBranch(g, id, no, 0, on_false);
  return AddOp(g, "Merge", {f, t}).output(0);
}

Output Less(const Output& x, int limit) { return AddOp(*x.graph(), "Less", {x, limit}).output(0); }
Output Zero(Graph& g) { return Constant(g, Tensor(int32_t{0})); }

std::vector<float> Floats(const Tensor& t) {
  auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

class LoopGradientsTest : public ::testing::Test {
 protected:
  Output X(const Shape& shape = Shape{2}) { return Scope(g_).Placeholder("x", kFloat, shape); }

  // Builds a loop of `times` iterations with a body of one variable.
  Output Repeat(int times, const Output& start, const std::function<Output(Output)>& body,
                const WhileOptions& options = {}) {
    return BuildWhile(
        g_, {Zero(g_), start}, [&](Values v) { return Less(v[0], times); },
        [&](Values v) {
          return Values{v[0] + 1, body(v[1])};
        },
        options)[1];
  }

  Output Gradient(const Output& y, const Output& x) {
    auto grads = Gradients({y}, {x});
    EXPECT_TRUE(grads.ok()) << grads.status().message();
    return grads.ok() ? (*grads)[0].values : Output();
  }

  std::vector<float> Run(const Output& fetch, const Feeds& feeds) {
    Session session = Session::Create(g_).value();
    auto result = session.Run(feeds, fetch);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? Floats(*result) : std::vector<float>();
  }

  std::vector<std::string> InputsOf(const std::string& name) {
    std::vector<std::string> names;
    auto op = g_.FindOperation(name);
    EXPECT_TRUE(op.ok()) << op.status().message();
    if (!op.ok()) return names;
    for (const Output& in : op->inputs()) names.push_back(in.name());
    for (const Operation& control : op->control_inputs()) names.push_back("^" + control.name());
    return names;
  }

  Graph g_;
};

TEST_F(LoopGradientsTest, BranchThatWasNotTakenGivesZeros) {
  Output x = X(), p = Scope(g_).Placeholder("p", kBool, {});
  Output z = Scope(g_).Placeholder("z", kFloat);
  Output y = BuildCond(
      g_, p, [&] { return x * x; }, [&] { return z * 3; });
  Output dx = Gradient(y, x), dz = Gradients({y}, {z}).value()[0].values;
  const Tensor xs = Tensor::Vector<float>({1, 2}), zs = Tensor::Vector<float>({5, 4});
  EXPECT_THAT(Run(dx, {{x, xs}, {z, zs}, {p, true}}), ElementsAre(2, 4));
  EXPECT_THAT(Run(dx, {{x, xs}, {z, zs}, {p, false}}), ElementsAre(0, 0));
  EXPECT_THAT(Run(dz, {{x, xs}, {z, zs}, {p, true}}), ElementsAre(0, 0));
  EXPECT_THAT(Run(dz, {{x, xs}, {z, zs}, {p, false}}), ElementsAre(3, 3));
}

TEST_F(LoopGradientsTest, LoopIsDifferentiated) {
  Output x = X();
  Output y = Repeat(3, x, [&](Output a) { return a * x; });
  Output dx = Gradient(y, x);
  EXPECT_EQ(dx.name(), "gradients/AddN:0");
  EXPECT_THAT(Run(dx, {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(4, 32));
  EXPECT_THAT(InputsOf("gradients/while/Switch_1_grad/b_switch"),
              ElementsAre("gradients/while/Exit_1_grad/b_exit:0",
                          "gradients/while/Switch_1_grad_1/NextIteration:0"));
  EXPECT_THAT(InputsOf("gradients/while/mul_grad/Mul_1/StackPushV2"),
              Contains("while/Identity_1:0"));
  EXPECT_THAT(InputsOf("gradients/NextIteration"),
              Contains("^gradients/while/mul_grad/Mul_1/StackPushV2"));
  EXPECT_THAT(InputsOf("gradients/while/mul_grad/Mul_1/b_sync"),
              ElementsAre("^gradients/while/mul_grad/Mul_1/StackPopV2"));
  EXPECT_EQ(g_.FindOperation("gradients/b_count_1")->attr<std::string>("frame_name").value(),
            "gradients/while/while_context");
}

TEST_F(LoopGradientsTest, LoopThatDoesNotRunForwardsGradients) {
  Output x = X();
  Output y = Repeat(0, x, [&](Output a) { return a * x; });
  EXPECT_THAT(Run(Gradient(y, x), {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(1, 1));
}

TEST_F(LoopGradientsTest, ValuesOfUnknownShapeKeepOnlyShapesIfTheseSuffice) {
  Output x = X(Shape::Unknown());
  Output w = Scope(g_).Placeholder("w", kFloat);
  Output y = Repeat(3, x, [&](Output a) { return a * w; });
  auto grads = Gradients({y}, {x, w}).value();
  EXPECT_THAT(InputsOf("gradients/while/mul_grad/Shape"), ElementsAre("while/Identity_1:0"));
  EXPECT_THAT(InputsOf("gradients/while/mul_grad/BroadcastGradientArgs/StackPushV2"),
              Contains("gradients/while/mul_grad/Shape:0"));
  const Feeds feeds = {{x, Tensor::Vector<float>({1, 2})}, {w, Tensor::Vector<float>({2, 3})}};
  EXPECT_THAT(Run(grads[0].values, feeds), ElementsAre(8, 27));
  EXPECT_THAT(Run(grads[1].values, feeds), ElementsAre(12, 54));
}

TEST_F(LoopGradientsTest, NestedLoopsHaveTheirOwnStacks) {
  Output x = X(Shape::Unknown());
  Output y = Repeat(2, x, [&](Output a) { return Repeat(2, a, [&](Output b) { return b * a; }); });
  // (x^3)^3
  EXPECT_THAT(Run(Gradient(y, x), {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(9, 2304));
}

TEST_F(LoopGradientsTest, BranchInLoopTakesTheSideOfEachIteration) {
  Output x = X(Shape::Unknown());
  Values out = BuildWhile(
      g_, {Zero(g_), x}, [](Values v) { return Less(v[0], 3); },
      [&](Values v) {
        Output a = BuildCond(
            g_, Less(v[0], 1), [&] { return v[1] * v[1]; }, [&] { return v[1] * 3; });
        return Values{v[0] + 1, a};
      });
  EXPECT_THAT(Run(Gradient(out[1], x), {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(18, 36));
}

TEST_F(LoopGradientsTest, LoopInBranch) {
  Output x = X(), p = Scope(g_).Placeholder("p", kBool, {});
  Output y = BuildCond(
      g_, p, [&] { return Repeat(2, x, [&](Output a) { return a * x; }); }, [&] { return x * 5; });
  Output dx = Gradient(y, x);
  EXPECT_THAT(Run(dx, {{x, Tensor::Vector<float>({1, 2})}, {p, true}}), ElementsAre(3, 12));
  EXPECT_THAT(Run(dx, {{x, Tensor::Vector<float>({1, 2})}, {p, false}}), ElementsAre(5, 5));
}

TEST_F(LoopGradientsTest, UnusedExitGetsZeros) {
  Output x = X(), z = Scope(g_).Placeholder("z", kFloat, {2});
  Values out = BuildWhile(
      g_, {Zero(g_), x, z}, [](Values v) { return Less(v[0], 2); },
      [](Values v) {
        return Values{v[0] + 1, v[1] * v[2], v[2] * 2};
      });
  // x * z * 2z
  auto grads = Gradients({out[1]}, {x, z}).value();
  const Feeds feeds = {{x, Tensor::Vector<float>({1, 2})}, {z, Tensor::Vector<float>({3, 4})}};
  EXPECT_THAT(Run(grads[0].values, feeds), ElementsAre(18, 32));
  EXPECT_THAT(Run(grads[1].values, feeds), ElementsAre(12, 32));
}

TEST_F(LoopGradientsTest, UnusedVariableGetsZeros) {
  for (const Shape& shape : {Shape{2}, Shape::Unknown()}) {
    Output x = X(shape), z = Scope(g_).Placeholder("z", kFloat, shape);
    Output y = Repeat(3, x, [&](Output) { return z * z; });
    auto grads = Gradients({y}, {x, z}).value();
    const Feeds feeds = {{x, Tensor::Vector<float>({1, 2})}, {z, Tensor::Vector<float>({3, 4})}};
    EXPECT_THAT(Run(grads[0].values, feeds), ElementsAre(0, 0));
    EXPECT_THAT(Run(grads[1].values, feeds), ElementsAre(6, 8));
  }
}

TEST_F(LoopGradientsTest, BackPropFalseCutsTheLoopOff) {
  Output x = X();
  WhileOptions options;
  options.back_prop = false;
  Output y = Repeat(
                 3, x, [&](Output a) { return a * x; }, options) +
             x * 2;
  EXPECT_THAT(Run(Gradient(y, x), {{x, Tensor::Vector<float>({1, 2})}}), ElementsAre(2, 2));
}

TEST_F(LoopGradientsTest, SparseGradientsOfInvariantsAreConcatenated) {
  Output table = Scope(g_).Placeholder("table", kFloat, {3, 2});
  Output x = X();
  Values out = BuildWhile(
      g_, {Zero(g_), x}, [](Values v) { return Less(v[0], 2); },
      [&](Values v) {
        Output row = AddOp(g_, "GatherV2", {table, v[0], 0}).output(0);
        return Values{v[0] + 1, v[1] * row};
      });
  auto grads = Gradients({out[1]}, {table}).value();
  ASSERT_TRUE(grads[0].sparse());
  const Feeds feeds = {
      {x, Tensor::Vector<float>({1, 2})},
      {table, Tensor::Of<float>(Shape{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6})}};
  EXPECT_THAT(Run(grads[0].values, feeds), ElementsAre(0, 0, 1, 4, 3, 8));
}

TEST_F(LoopGradientsTest, SecondOrderIsRefusedAsTensorFlowRefusesIt) {
  Output x = X();
  Output dx = Gradient(Repeat(3, x, [&](Output a) { return a * x; }), x);
  auto grads = Gradients({dx}, {x});
  EXPECT_THAT(grads.status().message(),
              HasSubstr("Second-order gradient for while loops not supported."));
}

TEST_F(LoopGradientsTest, GradientsInsideMayNotGoThroughInitialValues) {
  Output x = X();
  Status status;
  Repeat(3, x, [&](Output a) {
    status = Gradients({a * a}, {x}).status();
    return a;
  });
  EXPECT_THAT(status.message(),
              HasSubstr("Cannot compute gradient inside while loop with respect to op 'x'."));
}

TEST_F(LoopGradientsTest, GraphDefWithoutContextsSaysWhatIsMissing) {
  Output x = X();
  Repeat(3, x, [&](Output a) { return a * x; });
  Graph other;
  ImportOptions options;
  options.name = "";
  ASSERT_TRUE(ImportGraphDef(other, ExportGraphDef(g_).value(), options).ok());
  auto grads = Gradients({other.Tensor("while/Exit_1:0").value()}, {other.Tensor("x:0").value()});
  EXPECT_EQ(grads.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(grads.status().message(), HasSubstr("'while/Exit_1'"));
}

}  // namespace
}  // namespace ramet
