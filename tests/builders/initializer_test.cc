#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph_text.h"

namespace ramet {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::Floats;
using ::testing::HasSubstr;
using testing::Names;

class InitializerTest : public ::testing::Test {
 protected:
  std::vector<float> Values(const Shape& shape, const Initializer& initializer) {
    Variable v = s.GetVariable(StrCat("v", count++), shape, initializer);
    EXPECT_TRUE(v.valid()) << g.status().ToString();
    Session session = Session::Create(g).value();
    session.Run(v.initializer()).value();
    return Floats(session.Value(v).value());
  }
  static double Deviation(const std::vector<float>& values) {
    double sum = 0, squares = 0;
    for (float x : values) sum += x, squares += static_cast<double>(x) * x;
    const double mean = sum / static_cast<double>(values.size());
    return std::sqrt(squares / static_cast<double>(values.size()) - mean * mean);
  }

  Graph g;
  Scope s{g};
  int count = 0;
};

TEST_F(InitializerTest, ConstantsOfAllKinds) {
  EXPECT_THAT(Values({2, 2}, Zeros()), Each(0.0f));
  EXPECT_THAT(Values({2, 2}, Ones()), Each(1.0f));
  EXPECT_THAT(Values({40, 40}, Ones()), Each(1.0f));
  EXPECT_THAT(Values({2, 2}, ConstantInit(0.25)), Each(0.25f));
  EXPECT_THAT(Values({3}, ConstantInit(Tensor::Vector<float>({1, 2}))), ElementsAre(1, 2, 2));
}

TEST_F(InitializerTest, NodesAreTensorFlows) {
  s.GetVariable("w", {3, 4}, GlorotUniform(5));
  EXPECT_THAT(
      Names(g),
      ElementsAre("w/Initializer/random_uniform/shape", "w/Initializer/random_uniform/min",
                  "w/Initializer/random_uniform/max", "w/Initializer/random_uniform/RandomUniform",
                  "w/Initializer/random_uniform/sub", "w/Initializer/random_uniform/mul",
                  "w/Initializer/random_uniform", "w", "w/Assign", "w/read"));
  Operation random = g.FindOperation("w/Initializer/random_uniform/RandomUniform").value();
  EXPECT_EQ(random.attr<int64_t>("seed").value(), 87654321);
  EXPECT_EQ(random.attr<int64_t>("seed2").value(), 5);
}

TEST_F(InitializerTest, TheDefaultIsGlorotUniform) {
  s.GetVariable("w", {3, 4});
  EXPECT_TRUE(g.HasOperation("w/Initializer/random_uniform/RandomUniform"));
}

// The numbers are those of TensorFlow 2.21 with these seeds.
TEST_F(InitializerTest, SeedsGiveTensorFlowsNumbers) {
  const std::vector<float> kGlorot = {-0.273580432f, 0.400939345f, -0.7546615f, 0.504723907f};
  const std::vector<float> kTruncated = {0.029629603f, -0.00314132357f, -0.00547106098f,
                                         0.00376317906f};
  const std::vector<float> kNormal = {2.62332416f, -1.25715661f, 0.723744333f, 0.87023437f};
  EXPECT_THAT(Values({2, 2}, GlorotUniform(5)),
              ::testing::Pointwise(::testing::FloatEq(), kGlorot));
  EXPECT_THAT(Values({2, 2}, TruncatedNormal(0.0, 0.1, 4)),
              ::testing::Pointwise(::testing::FloatNear(1e-7), kTruncated));
  EXPECT_THAT(Values({2, 2}, RandomNormal(0.5, 2.0, 3)),
              ::testing::Pointwise(::testing::FloatNear(1e-6), kNormal));
}

TEST_F(InitializerTest, ScalesByTheFans) {
  EXPECT_NEAR(Deviation(Values({100, 300}, GlorotNormal(1))), std::sqrt(2.0 / 400), 5e-4);
  EXPECT_NEAR(Deviation(Values({100, 300}, HeNormal(1))), std::sqrt(2.0 / 100), 1e-3);
  EXPECT_NEAR(Deviation(Values({100, 300}, HeUniform(1))), std::sqrt(2.0 / 100), 1e-3);
  EXPECT_NEAR(Deviation(Values({100, 300}, LecunNormal(1))), 0.1, 1e-3);
  EXPECT_NEAR(Deviation(Values({3, 3, 10, 300}, LecunUniform(1))), std::sqrt(1.0 / 90), 1e-3);
  EXPECT_NEAR(Deviation(Values({100, 300}, UniformUnitScaling(1.0, 1))), 0.1, 1e-3);
  EXPECT_NEAR(Deviation(Values({100, 300}, VarianceScaling(1.0, FanMode::kFanOut,
                                                           Distribution::kUntruncatedNormal, 1))),
              std::sqrt(1.0 / 300), 1e-3);
}

TEST_F(InitializerTest, RandomInitializersRejectIntegers) {
  VariableOptions options;
  options.dtype = kInt32;
  options.initializer = HeNormal();
  EXPECT_FALSE(s.GetVariable("n", {2}, options).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("floating-point dtypes, not int32"));
}

TEST_F(InitializerTest, UniformIntegersStayInRange) {
  VariableOptions options;
  options.dtype = kInt32;
  options.initializer = RandomUniform(3, 6, 1);
  Variable v = s.GetVariable("n", {100}, options);
  Session session = Session::Create(g).value();
  session.Run(v.initializer()).value();
  const Tensor values = session.Value(v).value();
  EXPECT_THAT(std::vector<int32_t>(values.flat<int32_t>().begin(), values.flat<int32_t>().end()),
              Each(::testing::AllOf(::testing::Ge(3), ::testing::Lt(6))));
}

TEST_F(InitializerTest, AConstantOfTooManyElementsIsAnError) {
  EXPECT_FALSE(s.GetVariable("n", {1}, ConstantInit(Tensor::Vector<float>({1, 2}))).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("a constant of 2 elements cannot initialize"));
}

TEST_F(InitializerTest, BadScaleIsAnError) {
  EXPECT_FALSE(s.GetVariable("n", {1}, VarianceScaling(0)).valid());
  EXPECT_THAT(g.status().message(), HasSubstr("`scale` must be a positive float"));
}

}  // namespace
}  // namespace ramet
