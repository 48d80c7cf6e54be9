// Tests the pass that normalizes batches for inference inside products and convolutions: when it
// fuses, and that results are those of the separate steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kChannels = 20;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Noise(const Shape& shape, uint32_t seed, float least = -1) {
  std::mt19937 random(seed);
  Tensor t(kFloat, shape);
  for (float& x : t.mutable_flat<float>()) x = least + static_cast<float>(random() % 1000) / 500;
  return t;
}

class BatchNormFoldingTest : public ::testing::Test {
 protected:
  BatchNormFoldingTest() : s(g) {
    x = s.Placeholder("x", kFloat, Shape{-1, 9, 9, 12});
    conv = Add("Conv2D", {x, Kept({3, 3, 12, kChannels}, 1)},
               {{"strides", AttrList{1, 1, 1, 1}}, {"padding", "SAME"}});
  }

  using AttrList = std::vector<int64_t>;

  Output Add(std::string_view op, const std::vector<Input>& inputs,
             std::initializer_list<AttrMap::Entry> attrs = {}) {
    return AddOp(g, op, inputs, attrs).output(0);
  }
  Output Kept(const Shape& shape, uint32_t seed, float least = -1) {
    return s.NewVariable(Noise(shape, seed, least), "v").value();
  }
  Output Channels(uint32_t seed, float least = -1) { return Kept({kChannels}, seed, least); }

  Operation Normalize(const Output& of, std::string_view op = "FusedBatchNorm",
                      bool training = false) {
    return AddOp(g, op, {of, Channels(2), Channels(3), Channels(4), Channels(5, 0.5f)},
                 {{"epsilon", 0.25f}, {"is_training", training}});
  }

  // Runs with and without the pass, compares results, and returns how many products it fused.
  int64_t Fused(const std::vector<Output>& fetches, const Tensor& fed = Noise({3, 9, 9, 12}, 9)) {
    const std::vector<GraphElement> asked(fetches.begin(), fetches.end());
    Session with = Session::Create(g).value();
    Session without = Session::Create(g, {.disabled_passes = {"all"}}).value();
    with.InitializeMissing().value();
    without.InitializeMissing().value();
    for (int run = 0; run < 2; ++run) {
      const auto found = with.Run({{x, fed}}, asked).value();
      const auto expected = without.Run({{x, fed}}, asked).value();
      for (size_t i = 0; i < fetches.size(); ++i) ExpectNear(found[i], expected[i]);
    }
    return FusedIn(with, asked);
  }
  int64_t FusedIn(const Session& session, const std::vector<GraphElement>& asked) {
    const PlanReport report = ExplainRun(session, {x}, asked).value();
    for (const PassEffect& effect : report.passes) {
      if (effect.name == "batch_norm_folding") return effect.changes;
    }
    return -1;
  }
  static void ExpectNear(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    for (int64_t i = 0; i < found.num_elements(); ++i) {
      const float a = found.data<float>()[i], b = expected.data<float>()[i];
      if (std::isnan(b)) {
        ASSERT_TRUE(std::isnan(a)) << i;
      } else {
        ASSERT_NEAR(a, b, 1e-4f * (1 + std::abs(b))) << i;
      }
    }
  }

  Graph g;
  Scope s;
  Output x, conv;
};

TEST_F(BatchNormFoldingTest, TakesAllVersionsOfTheOp) {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    EXPECT_EQ(Fused({Normalize(conv, op).output(0)}), 1) << op;
  }
}

TEST_F(BatchNormFoldingTest, TakesBiasSumAndRelu) {
  const Output biased = Add("BiasAdd", {conv, Channels(7)});
  const Output residual = Add("Conv2D", {x, Kept({1, 1, 12, kChannels}, 8)},
                              {{"strides", AttrList{1, 1, 1, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Fused({Relu(Normalize(biased).output(0) + residual)}), 1);
  EXPECT_EQ(Fused({Relu(residual + Normalize(biased).output(0))}), 1);
  EXPECT_EQ(Fused({Relu(Normalize(biased).output(0))}), 1);
}

// The sum of two normalized convolutions is done in one of them.
TEST_F(BatchNormFoldingTest, TakesBothSidesOfASum) {
  const Output shortcut = Add("Conv2D", {x, Kept({1, 1, 12, kChannels}, 8)},
                              {{"strides", AttrList{1, 1, 1, 1}}, {"padding", "SAME"}});
  EXPECT_EQ(Fused({Relu(Normalize(conv).output(0) + Normalize(shortcut).output(0))}), 2);
}

TEST_F(BatchNormFoldingTest, TakesNormalizationsThatAreSpelledOut) {
  const Output mean = Channels(2), factor = Rsqrt(Channels(3, 0.5f) + 0.001f) * Channels(4);
  EXPECT_EQ(Fused({Relu(conv * factor + (Channels(5) - mean * factor))}), 1);
  EXPECT_EQ(Fused({(conv - mean) * factor * Channels(6) + Channels(5)}), 1);
  EXPECT_EQ(Fused({Add("Mul", {Kept({1, 1, 1, kChannels}, 6), conv})}), 1);
}

TEST_F(BatchNormFoldingTest, TakesMatricesAndDepthwiseConvolutions) {
  const Output rows = Reshape(x, Constant(g, Tensor::Vector<int32_t>({-1, 12})));
  const Output product = MatMul(rows, Kept({12, kChannels}, 1));
  EXPECT_EQ(Fused({Relu(product * Channels(2) + Channels(3))}), 1);
  const Output depthwise = Add("DepthwiseConv2dNative", {x, Kept({3, 3, 12, 1}, 1)},
                               {{"strides", AttrList{1, 1, 1, 1}}, {"padding", "VALID"}});
  EXPECT_EQ(Fused({Relu(depthwise * Kept({12}, 2) + Kept({12}, 3))}), 1);
}

TEST_F(BatchNormFoldingTest, LeavesOtherGraphsAlone) {
  const Output normalized = Normalize(conv).output(0);
  EXPECT_EQ(Fused({Normalize(conv, "FusedBatchNorm", true).output(0)}), 0);
  EXPECT_EQ(Fused({conv, normalized}), 0);
  const Operation with_mean = Normalize(conv);
  EXPECT_EQ(Fused({with_mean.output(0), with_mean.output(1)}), 0);
  EXPECT_EQ(Fused({conv * 2.0f}), 0);
  EXPECT_EQ(Fused({conv * Kept({9, 1, 1}, 2)}), 0);
  EXPECT_EQ(Fused({Channels(2) - conv}), 0);
  EXPECT_EQ(Fused({conv * conv}), 0);
  EXPECT_EQ(Fused({Relu(Relu(conv) * Channels(2))}), 0);
}

// A sum ends the chain: what comes after it works on the other tensor too.
TEST_F(BatchNormFoldingTest, EndsAfterASum) {
  const Output residual = Kept({1, 9, 9, kChannels}, 8);
  const Output sum = Normalize(conv).output(0) + residual;
  EXPECT_EQ(Fused({sum * Channels(7)}, Noise({1, 9, 9, 12}, 9)), 1);
}

// The sum is broadcast for some batches only; the steps then run one by one.
TEST_F(BatchNormFoldingTest, RunsStepsOneByOneWhereASumBroadcasts) {
  const Output sum = Relu(Normalize(conv).output(0) + Kept({1, 9, 9, kChannels}, 8));
  EXPECT_EQ(Fused({sum}, Noise({1, 9, 9, 12}, 9)), 1);
  EXPECT_EQ(Fused({sum}, Noise({3, 9, 9, 12}, 9)), 1);
}

TEST_F(BatchNormFoldingTest, HandlesNoImagesAndNan) {
  const Output y = Relu(Normalize(conv).output(0));
  EXPECT_EQ(Fused({y}, Tensor(kFloat, {0, 9, 9, 12})), 1);
  Tensor fed = Noise({2, 9, 9, 12}, 9);
  fed.mutable_flat<float>()[500] = kNan;
  EXPECT_EQ(Fused({y}, fed), 1);
}

TEST_F(BatchNormFoldingTest, ReadsVariablesInEachRun) {
  const Variable mean = s.NewVariable(Noise({kChannels}, 4), "mean");
  const Output y =
      AddOp(g, "FusedBatchNorm", {conv, Channels(2), Channels(3), mean.value(), Channels(5, 0.5f)},
            {{"is_training", false}})
          .output(0);
  Session with = Session::Create(g).value();
  Session without = Session::Create(g, {.disabled_passes = {"all"}}).value();
  for (const uint32_t seed : {11u, 12u}) {
    for (Session* session : {&with, &without}) {
      session->InitializeMissing().value();
      ASSERT_TRUE(session->Assign(mean, Noise({kChannels}, seed)).ok());
    }
    const Tensor fed = Noise({2, 9, 9, 12}, 9);
    ExpectNear(with.Run({{x, fed}}, y).value(), without.Run({{x, fed}}, y).value());
  }
  EXPECT_EQ(FusedIn(with, {y}), 1);
}

// The packed form of a filter belongs to one version of the variable.
TEST_F(BatchNormFoldingTest, PacksFiltersOncePerVersion) {
  const Variable filter = s.NewVariable(Noise({3, 3, 12, kChannels}, 1), "filter");
  const Output plain =
      Add("Conv2D", {x, filter.value()}, {{"strides", AttrList{1, 1, 1, 1}}, {"padding", "SAME"}});
  const Output biased =
      Relu(Add("BiasAdd", {Add("Conv2D", {x, filter.value()},
                               {{"strides", AttrList{1, 2, 1, 1}}, {"padding", "VALID"}}),
                           Channels(2)}));
  const std::vector<Output> fetches = {Normalize(plain).output(0), plain, biased};
  const std::vector<GraphElement> asked(fetches.begin(), fetches.end());
  Session with = Session::Create(g).value();
  Session without = Session::Create(g, {.disabled_passes = {"all"}}).value();
  for (Session* session : {&with, &without}) session->InitializeMissing().value();
  for (int run = 0; run < 9; ++run) {
    if (run % 3 == 0) {
      const Tensor version = Noise({3, 3, 12, kChannels}, 20 + run);
      for (Session* session : {&with, &without}) ASSERT_TRUE(session->Assign(filter, version).ok());
    }
    const Tensor fed = Noise({2, 9, 9, 12}, run);
    const auto found = with.Run({{x, fed}}, asked).value();
    const auto expected = without.Run({{x, fed}}, asked).value();
    for (size_t i = 0; i < fetches.size(); ++i) ExpectNear(found[i], expected[i]);
  }
}

TEST_F(BatchNormFoldingTest, ErrorsNameTheNode) {
  const Output vectors = s.Placeholder("vectors", kFloat, Shape::Unknown());
  const Operation norm =
      AddOp(g, "FusedBatchNorm", {conv, vectors, Channels(3), Channels(4), Channels(5, 0.5f)},
            {{"is_training", false}});
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  const Feeds feeds = {{x, Noise({2, 9, 9, 12}, 9)}, {vectors, Noise({kChannels + 1}, 1)}};
  const auto failed = session.Run(feeds, norm.output(0));
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.status().ToString(),
              HasSubstr("scale must have the same number of elements as the channels of x"));
  EXPECT_THAT(failed.status().ToString(), HasSubstr(norm.name()));
}

TEST_F(BatchNormFoldingTest, IsNotForDeterministicSessions) {
  const Output y = Normalize(conv).output(0);
  EXPECT_EQ(FusedIn(Session::Create(g, {.deterministic = true}).value(), {y}), 0);
}

}  // namespace
}  // namespace ramet
