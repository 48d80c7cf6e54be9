#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph_text.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using testing::Floats;
using ::testing::HasSubstr;
using testing::InputNames;

// loss = sum(w^2 * c): gradient 2*w*c.
class OptimizerTest : public ::testing::Test {
 protected:
  OptimizerTest() {
    w = s.GetVariable("w", {2}, ConstantInit(Tensor::Vector<float>({1, -2})));
    loss = ReduceSum(Square(w) * Constant(g, Tensor::Vector<float>({0.5, 0.25})));
  }
  static std::vector<double> Gradient(const std::vector<double>& w) { return {w[0], 0.5 * w[1]}; }

  // w after `steps` steps.
  std::vector<float> Train(const Operation& step, int steps) {
    EXPECT_TRUE(step.valid()) << g.status().ToString();
    Operation init = s.GlobalVariablesInitializer();
    Session session = Session::Create(g).value();
    session.Run(init).value();
    for (int i = 0; i < steps; ++i) session.Run(step).value();
    return Floats(session.Value(w).value());
  }
  static void ExpectNear(const std::vector<float>& found, const std::vector<double>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 2e-6);
  }

  Graph g;
  Scope s{g};
  Variable w;
  Output loss;
};

TEST_F(OptimizerTest, GradientDescentNodesAndValues) {
  Operation step = GradientDescent(0.5).Minimize(loss);
  EXPECT_EQ(step.name(), "GradientDescent");
  EXPECT_EQ(step.type(), "NoOp");
  EXPECT_THAT(
      InputNames(g, "GradientDescent/update_w/ApplyGradientDescent"),
      ElementsAre("w:0", "GradientDescent/learning_rate:0", ::testing::StartsWith("gradients/")));
  EXPECT_THAT(InputNames(g, "GradientDescent"),
              ElementsAre("^GradientDescent/update_w/ApplyGradientDescent"));
  EXPECT_THAT(g.collections().Get<Operation>(graph_keys::kTrainOp), ElementsAre(step));
  std::vector<double> v = {1, -2};
  for (int i = 0; i < 3; ++i) {
    auto grad = Gradient(v);
    for (int k = 0; k < 2; ++k) v[k] -= 0.5 * grad[k];
  }
  ExpectNear(Train(step, 3), v);
}

TEST_F(OptimizerTest, GlobalStepCounts) {
  Variable count = GetOrCreateGlobalStep(g);
  EXPECT_EQ(GetOrCreateGlobalStep(g), count);
  EXPECT_EQ(count.dtype(), kInt64);
  Operation step = GradientDescent(0.5).Minimize(loss, {.global_step = count});
  EXPECT_EQ(step.name(), "GradientDescent");
  EXPECT_EQ(step.type(), "AssignAdd");
  EXPECT_THAT(InputNames(g, "GradientDescent"),
              ElementsAre("global_step:0", "GradientDescent/value:0"));
  EXPECT_THAT(InputNames(g, "GradientDescent/value"), ElementsAre("^GradientDescent/update"));
  Operation init = s.GlobalVariablesInitializer();
  Session session = Session::Create(g).value();
  session.Run(init).value();
  for (int i = 0; i < 3; ++i) session.Run(step).value();
  EXPECT_EQ(session.Value(count).value().scalar<int64_t>(), 3);
}

TEST_F(OptimizerTest, MomentumValues) {
  for (bool nesterov : {false, true}) {
    Momentum optimizer(0.1, 0.9, {.use_nesterov = nesterov, .name = StrCat("M", nesterov)});
    Operation step = optimizer.Minimize(loss);
    EXPECT_EQ(optimizer.GetSlot(w, "momentum").op_name(), StrCat("w/M", nesterov));
    std::vector<double> v = {1, -2}, a = {0, 0};
    for (int i = 0; i < 3; ++i) {
      auto grad = Gradient(v);
      for (int k = 0; k < 2; ++k) {
        a[k] = 0.9 * a[k] + grad[k];
        v[k] -= nesterov ? 0.1 * grad[k] + 0.1 * 0.9 * a[k] : 0.1 * a[k];
      }
    }
    ExpectNear(Train(step, 3), v);
  }
}

TEST_F(OptimizerTest, AdamNodesAndValues) {
  Adam optimizer(0.01);
  Operation step = optimizer.Minimize(loss);
  EXPECT_THAT(InputNames(g, "Adam/update_w/ApplyAdam"),
              ElementsAre("w:0", "w/Adam:0", "w/Adam_1:0", "beta1_power/read:0",
                          "beta2_power/read:0", "Adam/learning_rate:0", "Adam/beta1:0",
                          "Adam/beta2:0", "Adam/epsilon:0", ::testing::StartsWith("gradients/")));
  EXPECT_THAT(InputNames(g, "Adam"),
              ElementsAre("^Adam/update_w/ApplyAdam", "^Adam/Assign", "^Adam/Assign_1"));
  EXPECT_THAT(optimizer.SlotNames(), ElementsAre("m", "v"));
  EXPECT_EQ(optimizer.Variables().size(), 4u);
  EXPECT_THAT(s.TrainableVariables(), ElementsAre(w));
  EXPECT_EQ(s.GlobalVariables().size(), 5u);
  std::vector<double> v = {1, -2}, m = {0, 0}, n = {0, 0};
  for (int i = 1; i <= 3; ++i) {
    auto grad = Gradient(v);
    const double rate = 0.01 * std::sqrt(1 - std::pow(0.999, i)) / (1 - std::pow(0.9, i));
    for (int k = 0; k < 2; ++k) {
      m[k] = 0.9 * m[k] + 0.1 * grad[k];
      n[k] = 0.999 * n[k] + 0.001 * grad[k] * grad[k];
      v[k] -= rate * m[k] / (std::sqrt(n[k]) + 1e-8);
    }
  }
  ExpectNear(Train(step, 3), v);
}

TEST_F(OptimizerTest, AdagradValues) {
  Operation step = Adagrad(0.1).Minimize(loss);
  std::vector<double> v = {1, -2}, a = {0.1, 0.1};
  for (int i = 0; i < 3; ++i) {
    auto grad = Gradient(v);
    for (int k = 0; k < 2; ++k) {
      a[k] += grad[k] * grad[k];
      v[k] -= 0.1 * grad[k] / std::sqrt(a[k]);
    }
  }
  ExpectNear(Train(step, 3), v);
}

TEST_F(OptimizerTest, RMSPropValues) {
  for (bool centered : {false, true}) {
    RMSProp optimizer(0.01, {.momentum = 0.5, .centered = centered, .name = StrCat("R", centered)});
    Operation step = optimizer.Minimize(loss);
    EXPECT_EQ(optimizer.SlotNames().size(), centered ? 3u : 2u);
    std::vector<double> v = {1, -2}, ms = {1, 1}, mom = {0, 0}, mg = {0, 0};
    for (int i = 0; i < 3; ++i) {
      auto grad = Gradient(v);
      for (int k = 0; k < 2; ++k) {
        ms[k] = 0.9 * ms[k] + 0.1 * grad[k] * grad[k];
        mg[k] = 0.9 * mg[k] + 0.1 * grad[k];
        const double variance = centered ? ms[k] - mg[k] * mg[k] : ms[k];
        mom[k] = 0.5 * mom[k] + 0.01 * grad[k] / std::sqrt(variance + 1e-10);
        v[k] -= mom[k];
      }
    }
    ExpectNear(Train(step, 3), v);
  }
}

TEST_F(OptimizerTest, SlotsOfASecondOptimizerGetTheNextNames) {
  Adam first, second;
  ASSERT_TRUE(first.Minimize(loss).valid());
  ASSERT_TRUE(second.Minimize(loss).valid()) << g.status().ToString();
  EXPECT_EQ(first.GetSlot(w, "v").op_name(), "w/Adam_1");
  EXPECT_EQ(second.GetSlot(w, "m").op_name(), "w/Adam_2");
  EXPECT_TRUE(g.HasOperation("Adam_1"));
}

TEST_F(OptimizerTest, SlotsAreColocatedAndNotTrainable) {
  Momentum optimizer(0.1, 0.9);
  ASSERT_TRUE(optimizer.Minimize(loss).valid());
  Variable slot = optimizer.GetSlot(w, "momentum");
  EXPECT_THAT(*slot.ref().op().attr<std::vector<std::string>>("_class"),
              ::testing::Contains("loc:@w"));
  EXPECT_FALSE(slot.record().trainable);
}

TEST_F(OptimizerTest, VarListRestrictsTheUpdate) {
  Variable v = s.GetVariable("v", {2}, Ones());
  Output both = loss + ReduceSum(Output(v));
  ASSERT_TRUE(GradientDescent(0.1).Minimize(both, {.var_list = std::vector<Variable>{v}}).valid());
  EXPECT_TRUE(g.HasOperation("GradientDescent/update_v/ApplyGradientDescent"));
  EXPECT_FALSE(g.HasOperation("GradientDescent/update_w/ApplyGradientDescent"));
}

TEST_F(OptimizerTest, VariablesWithoutGradientAreSkipped) {
  s.GetVariable("unused", {2}, Ones());
  ASSERT_TRUE(GradientDescent(0.1).Minimize(loss).valid());
  EXPECT_FALSE(g.HasOperation("GradientDescent/update_unused/ApplyGradientDescent"));
}

TEST_F(OptimizerTest, NoGradientAtAllIsTensorFlowsError) {
  Variable unused = s.GetVariable("unused", {2}, Ones());
  EXPECT_FALSE(
      GradientDescent(0.1).Minimize(loss, {.var_list = std::vector<Variable>{unused}}).valid());
  EXPECT_TRUE(IsInvalidArgument(g.status()));
  EXPECT_THAT(
      g.status().message(),
      HasSubstr("No gradients provided for any variable, check your graph for ops that do not "
                "support gradients, between variables [unused:0] and loss Sum:0."));
}

TEST_F(OptimizerTest, NoVariablesIsAnError) {
  EXPECT_FALSE(GradientDescent(0.1).Minimize(loss, {.var_list = std::vector<Variable>()}).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("No variables to optimize."));
}

TEST_F(OptimizerTest, AnIntegerLossIsAnError) {
  EXPECT_FALSE(GradientDescent(0.1).Minimize(Cast(loss, kInt32)).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("Invalid type int32 for Cast:0"));
}

TEST_F(OptimizerTest, AdagradNeedsAPositiveStart) {
  EXPECT_FALSE(Adagrad(0.1, {.initial_accumulator_value = 0}).Minimize(loss).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("initial_accumulator_value must be positive: 0"));
}

TEST_F(OptimizerTest, TheLearningRateCanBeATensor) {
  Output rate = s.Placeholder("rate", kFloat, {});
  Operation step = GradientDescent(rate).Minimize(loss);
  Operation init = s.GlobalVariablesInitializer();
  Session session = Session::Create(g).value();
  session.Run(init).value();
  session.Run({{rate, Tensor(1.0f)}}, step).value();
  ExpectNear(Floats(session.Value(w).value()), {0, -1});
}

TEST_F(OptimizerTest, GradientsCanBeChangedOnTheWay) {
  GradientDescent optimizer(1.0);
  auto pairs = optimizer.ComputeGradients(loss);
  ASSERT_EQ(pairs.size(), 1u);
  pairs[0].gradient = Ones(g, {2});
  Operation step = optimizer.ApplyGradients(pairs, {.name = "apply"});
  EXPECT_EQ(step.name(), "apply");
  ExpectNear(Train(step, 1), {0, -3});
}

TEST_F(OptimizerTest, GatingTheGraphTiesAllGradients) {
  Variable v = s.GetVariable("v", {2}, Ones());
  Output both = loss + ReduceSum(Output(v));
  auto pairs =
      GradientDescent(0.1).ComputeGradients(both, {.gate_gradients = GateGradients::kGraph});
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].gradient.values.name(), "tuple/control_dependency:0");
  EXPECT_EQ(pairs[1].gradient.values.name(), "tuple/control_dependency_1:0");
}

TEST_F(OptimizerTest, ClippedGradients) {
  auto clipped = ClipByGlobalNorm(
      {Constant(g, Tensor::Vector<float>({3, 0})), Constant(g, Tensor::Vector<float>({0, 4}))},
      2.5);
  ASSERT_EQ(clipped.size(), 2u);
  Session session = Session::Create(g).value();
  auto values = session.Run({clipped[0], clipped[1]}).value();
  ExpectNear(Floats(values[0]), {1.5, 0});
  ExpectNear(Floats(values[1]), {0, 2});
}

}  // namespace
}  // namespace ramet
