#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph_text.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using testing::Floats;
using ::testing::HasSubstr;
using testing::InputNames;
using testing::Names;
using ::testing::Pointwise;

class LayersTest : public ::testing::Test {
 protected:
  std::vector<float> Run(const Output& x) {
    EXPECT_TRUE(x.valid()) << g.status().ToString();
    Session session = Session::Create(g).value();
    EXPECT_TRUE(session.InitializeMissing().ok());
    auto values = session.Run(x);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? Floats(*values) : std::vector<float>();
  }
  Output Matrix(std::initializer_list<float> values, const Shape& shape) {
    return Constant(g, Tensor::Of<float>(shape, values));
  }

  Graph g;
  Scope s{g};
};

TEST_F(LayersTest, DenseNamesAndValues) {
  Output x = Matrix({1, 2}, {1, 2});
  Output y = Dense(s, x, 3,
                   {.activation = [](const Output& v) { return Relu(v); },
                    .kernel_initializer = Ones(),
                    .bias_initializer = ConstantInit(-4.0)});
  EXPECT_EQ(y.name(), "dense/Relu:0");
  EXPECT_THAT(InputNames(g, "dense/BiasAdd"), ElementsAre("dense/MatMul:0", "dense/bias/read:0"));
  EXPECT_THAT(InputNames(g, "dense/MatMul"), ElementsAre("Const:0", "dense/kernel/read:0"));
  EXPECT_THAT(Run(y), ElementsAre(0, 0, 0));
  EXPECT_EQ(Dense(s, x, 3).name(), "dense_1/BiasAdd:0");
  EXPECT_EQ(Dense(s, x, 3, {.use_bias = false, .name = "head"}).name(), "head/MatMul:0");
  EXPECT_EQ(s.TrainableVariables().size(), 5u);
}

TEST_F(LayersTest, DenseIsNumberedPerVariableScope) {
  Output x = Matrix({1, 2}, {1, 2});
  Dense(s, x, 3);
  Scope inner = s.VariableScope("a");
  Dense(inner, x, 3);
  EXPECT_TRUE(g.HasOperation("a/dense/kernel"));
}

TEST_F(LayersTest, DenseKeepsOuterDimensions) {
  Output x = Matrix({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  Output y = Dense(s, x, 1, {.kernel_initializer = Ones()});
  EXPECT_EQ(y.shape(), Shape({2, 2, 1}));
  EXPECT_THAT(Run(y), ElementsAre(3, 7, 11, 15));
}

TEST_F(LayersTest, DenseNeedsAKnownLastDimension) {
  EXPECT_FALSE(Dense(s, s.Placeholder("x", kFloat, {-1, -1}), 3).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("x:0 of shape [?,?]"));
}

TEST_F(LayersTest, FlattenKeepsTheBatch) {
  Output x = s.Placeholder("x", kFloat, {-1, 3, 4});
  EXPECT_EQ(Flatten(x).shape(), Shape({-1, 12}));
  EXPECT_FALSE(Flatten(s.Placeholder("y", kFloat)).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("all dimensions except the first"));
}

TEST_F(LayersTest, DropoutScalesWhatItKeeps) {
  Output x = Ones(g, {100});
  std::vector<float> dropped = Run(Dropout(x, 0.8, {.seed = 11}));
  int kept = 0;
  for (float v : dropped) {
    EXPECT_TRUE(v == 0 || v == 1.25f) << v;
    kept += v != 0;
  }
  EXPECT_GT(kept, 60);
  EXPECT_LT(kept, 95);
  EXPECT_EQ(Dropout(x, 1.0), x);
}

TEST_F(LayersTest, DropoutNodesAreTensorFlows) {
  Output x = s.Placeholder("x", kFloat, {-1, 4});
  const int before = g.num_operations();
  Dropout(x, 0.7, {.seed = 11});
  EXPECT_THAT(Names(g, before),
              ElementsAre("dropout/Const", "dropout/Mul", "dropout/Shape",
                          "dropout/random_uniform/RandomUniform", "dropout/GreaterEqual/y",
                          "dropout/GreaterEqual", "dropout/Const_1", "dropout/SelectV2"));
}

TEST_F(LayersTest, DropoutByATensor) {
  Output keep = s.Placeholder("keep", kFloat, {});
  Output y = Dropout(Ones(g, {4}), keep);
  Session session = Session::Create(g).value();
  EXPECT_THAT(Floats(session.Run({{keep, Tensor(1.0f)}}, y).value()), ElementsAre(1, 1, 1, 1));
}

TEST_F(LayersTest, DropoutRejectsInvalidArguments) {
  EXPECT_FALSE(Dropout(Ones(g, {4}), 0.0).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("keep_prob must be a number in (0, 1]"));
}

TEST_F(LayersTest, SoftmaxCrossEntropyValuesAndGradient) {
  Output labels = Matrix({0, 1, 0.5, 0.5}, {2, 2});
  Output logits = Matrix({1, 3, 0, 0}, {2, 2});
  Output loss = SoftmaxCrossEntropy(labels, logits);
  EXPECT_EQ(loss.shape(), Shape({2}));
  const float first = std::log(1 + std::exp(-2.0f));
  EXPECT_THAT(Run(loss), Pointwise(FloatNear(1e-6), {first, std::log(2.0f)}));
  auto grads = Gradients({loss}, {logits, labels});
  ASSERT_TRUE(grads.ok()) << grads.status().ToString();
  EXPECT_FALSE((*grads)[1].exists());
  const float p = 1 / (1 + std::exp(-2.0f));
  EXPECT_THAT(Run((*grads)[0].values), Pointwise(FloatNear(1e-6), {1 - p, p - 1, 0.0f, 0.0f}));
  auto both = Gradients({SoftmaxCrossEntropy(labels, logits, {.labels_gradient = true})}, {labels});
  ASSERT_TRUE(both.ok()) << both.status().ToString();
  EXPECT_TRUE((*both)[0].exists());
}

TEST_F(LayersTest, SparseSoftmaxCrossEntropyOfAnyRank) {
  Output logits = Matrix({1, 3, 0, 0}, {2, 2});
  const std::vector<float> wanted = {std::log(1 + std::exp(-2.0f)), std::log(2.0f)};
  Output labels = Constant(g, Tensor::Vector<int64_t>({1, 0}));
  EXPECT_THAT(Run(SparseSoftmaxCrossEntropy(labels, logits)), Pointwise(FloatNear(1e-6), wanted));
  Output deep = SparseSoftmaxCrossEntropy(Reshape(labels, {1, 2}), Reshape(logits, {1, 2, 2}));
  EXPECT_EQ(deep.shape().rank(), 2);
  EXPECT_THAT(Run(deep), Pointwise(FloatNear(1e-6), wanted));
  EXPECT_FALSE(
      SparseSoftmaxCrossEntropy(Constant(g, Tensor::Vector<int64_t>({1})), logits).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("`labels.shape` must equal `logits.shape`"));
}

TEST_F(LayersTest, SigmoidCrossEntropyIsStable) {
  Output logits = Matrix({0, 100, -100}, {3});
  Output labels = Matrix({1, 1, 1}, {3});
  EXPECT_THAT(Run(SigmoidCrossEntropy(labels, logits)),
              Pointwise(FloatNear(1e-5), {std::log(2.0f), 0.0f, 100.0f}));
}

TEST_F(LayersTest, MeanSquaredErrorIsAScalar) {
  EXPECT_THAT(Run(MeanSquaredError(Matrix({1, 2}, {2}), Matrix({3, 2}, {2}))), ElementsAre(2));
}

}  // namespace
}  // namespace ramet
