#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlp.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using testing::Mlp;

std::vector<Tensor> TrainedWeights(int threads, int steps) {
  Graph g;
  Mlp mlp(g, "", 784, 256);
  Session session =
      Session::Create(g, {.intra_op_parallelism_threads = threads, .deterministic = true}).value();
  session.Run(mlp.init).value();
  for (int i = 0; i < steps; ++i) session.Run(mlp.Batch(), mlp.train).value();
  std::vector<Tensor> weights;
  for (const Variable& v : mlp.variables()) weights.push_back(session.Value(v).value());
  return weights;
}

TEST(TrainingTest, LossFalls) {
  Graph g;
  Mlp mlp(g);
  Session session = Session::Create(g).value();
  session.Run(mlp.init).value();
  const float first = session.Run(mlp.Batch(), mlp.loss).value().scalar<float>();
  for (int i = 0; i < 500; ++i) session.Run(mlp.Batch(), mlp.train).value();
  const float last = session.Run(mlp.Batch(), mlp.loss).value().scalar<float>();
  EXPECT_LT(last, 0.8f * first);
}

TEST(TrainingTest, DeterministicForAnyNumberOfThreads) {
  std::vector<Tensor> one = TrainedWeights(1, 20);
  for (int threads : {1, 2, 3, 4}) {
    std::vector<Tensor> other = TrainedWeights(threads, 20);
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(one[i].BitwiseEquals(other[i])) << threads << " threads, variable " << i;
    }
  }
}

TEST(TrainingTest, OptimizersOfTheFamilyLearn) {
  auto loss_after = [](auto&& optimizer) {
    Graph g;
    Scope s(g);
    Variable v = s.NewVariable(Tensor::Vector<float>({3, -2}), "v");
    Output loss = ReduceSum(v.value() * v.value(), {0});
    Variable global_step = s.NewVariable(Tensor(int64_t{0}), "global_step", {.trainable = false});
    Operation step = optimizer.Minimize(loss, {.global_step = global_step});
    Operation init = s.GlobalVariablesInitializer();
    EXPECT_TRUE(g.status().ok()) << g.status().ToString();
    Session session = Session::Create(g).value();
    session.Run(init).value();
    for (int i = 0; i < 200; ++i) session.Run(step).value();
    EXPECT_EQ(session.Value(global_step)->scalar<int64_t>(), 200);
    return session.Run(loss).value().template scalar<float>();
  };
  EXPECT_LT(loss_after(GradientDescent(0.1)), 1e-6f);
  EXPECT_LT(loss_after(Momentum(0.05, 0.9)), 1e-2f);
  EXPECT_LT(loss_after(Momentum(0.05, 0.9, {.use_nesterov = true})), 1e-2f);
  EXPECT_LT(loss_after(Adam(0.1)), 1e-1f);
  EXPECT_LT(loss_after(Adagrad(0.5)), 1e-1f);
  EXPECT_LT(loss_after(RMSProp(0.05)), 1e-1f);
}

TEST(TrainingTest, OnlyVarListIsTrained) {
  Graph g;
  Scope s(g);
  Variable a = s.NewVariable(1.0f, "a");
  Variable b = s.NewVariable(1.0f, "b");
  Operation step =
      GradientDescent(0.5).Minimize(a.value() * b.value(), {.var_list = std::vector<Variable>{b}});
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  session.Run(step).value();
  EXPECT_EQ(session.Value(a)->scalar<float>(), 1.0f);
  EXPECT_EQ(session.Value(b)->scalar<float>(), 0.5f);
}

TEST(TrainingTest, NoGradientIsAnError) {
  Graph g;
  Scope s(g);
  s.NewVariable(1.0f, "a");
  Operation step = GradientDescent(0.5).Minimize(Constant(g, 1.0f) + 1);
  EXPECT_FALSE(step.valid());
  EXPECT_THAT(g.status().message(), ::testing::HasSubstr("No gradients provided for any variable"));
}

}  // namespace
}  // namespace ramet
