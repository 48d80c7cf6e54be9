// Tests clones without the parts that only training needs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include <set>

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::set<std::string> Types(const Cloned& c) {
  std::set<std::string> types;
  for (const Operation& op : c.operations()) types.insert(op.type());
  return types;
}

std::vector<std::string> NamesOfCopies(const Cloned& c) {
  std::vector<std::string> names;
  for (const ClonedVariable& v : c.variables()) names.push_back(v.copy.op_name());
  return names;
}

class CloneStripTest : public ::testing::TestWithParam<bool> {
 protected:
  Variable NewVariable(const std::string& name, const Shape& shape, double value,
                       bool trainable = true) {
    return s.GetVariable(
        name, shape,
        {.initializer = ConstantInit(value), .trainable = trainable, .use_resource = GetParam()});
  }
  Graph g;
  Scope s{g};
};

TEST_P(CloneStripTest, OptimizersGradientsAndSaversAreOmitted) {
  Output x = s.Placeholder("x", kFloat, {2, 2});
  Variable w = NewVariable("w", {2, 2}, 0.5);
  Variable b = NewVariable("b", {2}, 1.0);
  Output y = AddOp(g, "BiasAdd", {AddOp(g, "MatMul", {x, w}).output(0), b}).output(0);
  Output loss = ReduceMean(Square(y));
  Variable step = s.NewVariable(Tensor(int64_t{0}), "global_step", {.trainable = false});
  for (int i = 0; i < 2; ++i) Adam(0.1).Minimize(loss, {.global_step = step});
  Momentum(0.1, 0.9).Minimize(loss);
  Saver saver(g);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Graph other;
  auto c = Clone(g, {.into = &other, .strip_training = true});
  ASSERT_TRUE(c.ok()) << c.status().ToString();
  EXPECT_THAT(NamesOfCopies(*c), ElementsAre("copy/w", "copy/b"));
  for (const std::string& type : Types(*c)) {
    EXPECT_EQ(type.find("Apply"), std::string::npos);
    EXPECT_NE(type, "SaveV2");
    EXPECT_NE(type, "RestoreV2");
    EXPECT_EQ(type.find("Grad"), std::string::npos);
  }
  for (const Operation& op : c->operations()) {
    EXPECT_EQ(op.name().find("gradients"), std::string::npos) << op.name();
    EXPECT_EQ(op.name().find("Adam"), std::string::npos) << op.name();
    EXPECT_EQ(op.name().find("Momentum"), std::string::npos) << op.name();
  }
  EXPECT_TRUE(c->Transformed(loss).valid());
  EXPECT_FALSE(c->Transformed(step).valid());
  Session session = Session::Create(other).value();
  ASSERT_TRUE(session.Run(c->init_op()).ok());
  const Tensor in = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  auto run = session.Run({{c->Transformed(x), in}}, {c->Transformed(y), c->Transformed(loss)});
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ((*run)[0].data<float>()[0], 2.5f);
  EXPECT_EQ(c->graph().collections().Get(graph_keys::kTrainableVariables).size(), 2u);
}

TEST_P(CloneStripTest, PassThroughOperationsAreSplicedOut) {
  Output x = s.Placeholder("x", kFloat, {});
  Variable w = NewVariable("w", {}, 2.0);
  Output id = Identity(x, "id");
  Output stop = AddOp(g, "StopGradient", {id}, {}, "stop").output(0);
  Output checked = AddOp(g, "CheckNumerics", {stop}, {{"message", "bad"}}, "checked").output(0);
  Output h = checked * w;
  Output waited = Identity(h, "waited");
  {
    Scope after = s.ControlDependencies({waited.op()});
    AddOp(g, "NoOp", {}, {}, "n");
  }
  Output out = Identity(waited + 1.0f, "out");
  Cloned c = Clone(g, {.inputs = {x}, .outputs = {out}, .strip_training = true}).value();
  EXPECT_EQ(c.Transformed(h).op().input(0), c.Transformed(x));
  EXPECT_EQ(c.Transformed(checked), c.Transformed(x)) << "the tensor that it passed on";
  EXPECT_EQ(c.Transformed(out).op().type(), "Identity") << "outputs stay";
  EXPECT_TRUE(c.Transformed(w).value().op().valid());
  EXPECT_FALSE(c.Transformed(stop.op()).valid());
  Cloned whole = Clone(g, {.dst_scope = "whole", .strip_training = true}).value();
  EXPECT_TRUE(whole.Transformed(waited.op()).valid()) << "an operation waits for it";
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  auto run = session.Run({{c.Transformed(x), 3.0f}}, c.Transformed(out));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(run->scalar<float>(), 7.0f);
}

// Only the operation is cloned, not what it reads, and so nothing is left of it.
TEST_P(CloneStripTest, PassThroughOperationsWithoutTheirInput) {
  Output x = s.Placeholder("x", kFloat, {});
  Output checked = AddOp(g, "CheckNumerics", {x}, {{"message", "bad"}}, "checked").output(0);
  Graph other;
  Cloned c = Clone(g, {.ops = {checked.op()}, .into = &other, .strip_training = true}).value();
  EXPECT_FALSE(c.Transformed(checked).valid());
  Cloned here = Clone(g, {.ops = {checked.op()}, .strip_training = true}).value();
  EXPECT_EQ(here.Transformed(checked), x);
}

TEST_P(CloneStripTest, BatchNormsUseTheirAverages) {
  Output x = s.Placeholder("x", kFloat, {4, 1, 1, 1});
  Variable scale = NewVariable("gamma", {1}, 1.0), offset = NewVariable("beta", {1}, 0.0);
  Variable mean = NewVariable("moving_mean", {1}, 10.0, false);
  Variable variance = NewVariable("moving_variance", {1}, 4.0, false);
  Operation norm = AddOp(g, "FusedBatchNormV3",
                         {x, scale, offset, Tensor(kFloat, Shape{0}), Tensor(kFloat, Shape{0})},
                         {{"epsilon", 0.0f}, {"is_training", true}}, "norm");
  auto average = [&](const Variable& v, const Output& value) {
    Output delta = (v.value() - value) * 0.01f;
    Operation op = v.record().is_resource ? AddOp(g, "AssignSubVariableOp", {v.ref(), delta})
                                          : AddOp(g, "AssignSub", {v.ref(), delta});
    g.collections().Add(graph_keys::kUpdateOps, op);
  };
  average(mean, norm.output(1));
  Graph uncertain;
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Cloned kept = Clone(g, {.into = &uncertain, .strip_training = true}).value();
  EXPECT_TRUE(kept.Transformed(norm).attr<bool>("is_training").value())
      << "the variance cannot be identified";
  average(variance, norm.output(2));
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Cloned c = Clone(g, {.inputs = {x}, .outputs = {norm.output(0)}, .strip_training = true}).value();
  EXPECT_FALSE(c.Transformed(norm).attr<bool>("is_training").value());
  EXPECT_EQ(c.Transformed(norm).input(3), c.Transformed(mean).value());
  EXPECT_THAT(NamesOfCopies(c),
              ElementsAre("copy/gamma", "copy/beta", "copy/moving_mean", "copy/moving_variance"));
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  const Tensor in = Tensor::Of<float>({4, 1, 1, 1}, {10, 12, 8, 14});
  auto run = session.Run({{c.Transformed(x), in}}, c.Transformed(norm.output(0)));
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_THAT(std::vector<float>(run->data<float>(), run->data<float>() + 4),
              ElementsAre(0, 1, -1, 2));
  Cloned whole = Clone(g, {.dst_scope = "whole", .strip_training = true}).value();
  EXPECT_THAT(whole.graph().collections().Get(graph_keys::kUpdateOps).size(), 2u)
      << "updates of averages are not part of the clone";
}

INSTANTIATE_TEST_SUITE_P(Variables, CloneStripTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "resource" : "reference"; });

TEST(CloneLongChainTest, LongChainsAreSplicedOutInLinearTime) {
  Graph g;
  const Output x = Scope(g).Placeholder("x", kFloat, {2});
  Output last = x;
  for (int i = 0; i < 100000; ++i) {
    last = AddOp(g, "StopGradient", {last}, {}, StrCat("s", i, "/")).output(0);
  }
  const Output y = AddOp(g, "Neg", {last}, {}, "y").output(0);
  Graph into;
  Cloned c = Clone(g, {.into = &into, .strip_training = true}).value();
  EXPECT_EQ(c.Transformed(y).op().input(0), c.Transformed(x));
}

}  // namespace
}  // namespace ramet
