// Tests of fused element-wise ops, merged updates and counted work on a GPU, through the public
// API. The device is a processor behind OpenCL (PoCL), unless RAMET_TEST_GPU names a driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu_fusion.h"
#include "mlp.h"

namespace ramet {
namespace {

using testing::GpuFusionTest;
using ::testing::HasSubstr;
using testing::Mlp;

TEST_F(GpuFusionTest, ValuesThatOthersReadAreOutputsOfTheSameLaunch) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {-1, 9});
  const Output half = x * 0.5f, scaled = x * 0.7f;
  const Output y = half * (Tanh(scaled) + 1.0f);
  const Output sum = half + y;
  const Output mean = ReduceMean(sum, {1});
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({4, 9}, 1)}};
  for (const std::vector<Output>& fetched :
       {std::vector<Output>{half, scaled, y}, {half, y, sum, mean}}) {
    const Fetches fetches = AsFetches(fetched);
    const DeviceWork work = WorkOf(session, feeds, fetches);
    EXPECT_EQ(work.launches, 1);
    EXPECT_EQ(work.fused_launches, 1);
    const auto found = session.Run(feeds, fetches).value();
    const auto expected = single.Run(feeds, fetches).value();
    for (size_t i = 0; i < fetched.size(); ++i) EXPECT_TRUE(found[i].BitwiseEquals(expected[i]));
  }
}

TEST_F(GpuFusionTest, ASumOfSeveralTensorsIsAPartOfATree) {
  for (DType dtype : {kFloat, kHalf, kInt32}) {
    Graph g;
    Scope s(g);
    const Output fed = s.Placeholder("x", kFloat, Shape::Unknown());
    const Output x = Cast(fed, dtype);
    const Output sum = AddOp(g, "AddN", {Square(x), x, x + x}).output(0);
    const Output y = Neg(sum);
    Session session = NewSession(g), single = NewSession(g, true);
    const Feeds feeds = {{fed, Noise({4, 9}, 1)}};
    EXPECT_EQ(WorkOf(session, feeds, y).launches, 1);
    EXPECT_TRUE(session.Run(feeds, y)->BitwiseEquals(single.Run(feeds, y).value()));
  }
}

TEST_F(GpuFusionTest, OpsThatReturnTheirInputDoNotDivideATree) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {-1, 9});
  const Output square = Identity(Square(x));
  const Output y = AddOp(g, "StopGradient", {square}).output(0) + x;
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({4, 9}, 1)}};
  for (const std::vector<Output>& fetched : {std::vector<Output>{y}, {y, square}}) {
    EXPECT_EQ(WorkOf(session, feeds, AsFetches(fetched)).launches, 1);
    const auto found = session.Run(feeds, AsFetches(fetched)).value();
    const auto expected = single.Run(feeds, AsFetches(fetched)).value();
    for (size_t i = 0; i < fetched.size(); ++i) EXPECT_TRUE(found[i].BitwiseEquals(expected[i]));
  }
}

TEST_F(GpuFusionTest, AChainIsOneLaunch) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output row = s.Placeholder("row", kFloat, Shape::Unknown());
  const Output y = Tanh(Cast(Square(x) + row, kHalf)) * Cast(row, kHalf);
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({4, 9}, 1)}, {row, Noise({9}, 2)}};
  const DeviceWork one = WorkOf(session, feeds, y);
  EXPECT_EQ(one.launches, 1);
  EXPECT_EQ(one.fused_launches, 1);
  EXPECT_EQ(one.copies_to_device, 2);
  EXPECT_EQ(one.bytes_to_device, (4 * 9 + 9) * 4);
  EXPECT_EQ(one.copies_to_host, 1);
  EXPECT_EQ(one.bytes_to_host, 4 * 9 * 2);
  const DeviceWork all = WorkOf(single, feeds, y);
  EXPECT_EQ(all.launches, 6);
  EXPECT_EQ(all.fused_launches, 0);
}

TEST_F(GpuFusionTest, AReductionComputesTheTreeOfItsOperand) {
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"}) {
    for (const auto& [axes, keep] : {std::pair{std::vector<int32_t>{1}, false}, {{0, -1}, true}}) {
      Graph g;
      Scope s(g);
      const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
      const Output y = s.Placeholder("y", kFloat, Shape::Unknown());
      const Output tree = Cast(Square(x - y), kHalf) + Cast(y, kHalf);
      const Output z =
          AddOp(g, op, {tree, Constant(g, Tensor::Vector<int32_t>(axes))}, {{"keep_dims", keep}})
              .output(0);
      Session session = NewSession(g), single = NewSession(g, true);
      for (const Shape& shape : {Shape{3, 5, 700}, Shape{5, 1}, Shape{}}) {
        const Feeds feeds = {{x, Noise({3, 5, 700}, 1)}, {y, Noise(shape, 2)}};
        const DeviceWork work = WorkOf(session, feeds, z);
        EXPECT_EQ(work.launches, 1) << op << " " << shape;
        EXPECT_EQ(work.fused_launches, 1);
        const Tensor found = session.Run(feeds, z).value();
        EXPECT_TRUE(found.BitwiseEquals(single.Run(feeds, z).value())) << op << " " << shape;
      }
    }
  }
}

TEST_F(GpuFusionTest, ReductionsOfTreesHaveTheResultsAndErrorsOfSeparateSteps) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output axes = s.Placeholder("axes", kInt32, Shape::Unknown());
  const Output y = AddOp(g, "Max", {Square(x), axes}, {}, "max").output(0);
  Session session = NewSession(g), single = NewSession(g, true);
  const auto run = [&](Session& session, const Shape& shape, std::vector<int32_t> of) {
    return session.Run({{x, Noise(shape, 1)}, {axes, Tensor::Vector<int32_t>(of)}}, y);
  };
  for (const std::vector<int32_t>& of : {std::vector<int32_t>{}, {0}, {1, 0}}) {
    for (const Shape& shape : {Shape{2, 3}, Shape{0, 3}, Shape{2, 0}}) {
      const Tensor found = run(session, shape, of).value();
      EXPECT_TRUE(found.BitwiseEquals(run(single, shape, of).value())) << shape;
    }
  }
  const auto failed = run(session, {2, 3}, {2});
  EXPECT_TRUE(IsInvalidArgument(failed.status())) << failed.status().ToString();
  EXPECT_THAT(failed.status().message(), HasSubstr("{{node max}}"));
}

TEST_F(GpuFusionTest, ABiasIsAPartOfATree) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output bias = s.Placeholder("bias", kFloat, Shape::Unknown());
  const Output y = Relu(AddOp(g, "BiasAdd", {x * 2.0f, bias}, {}, "add").output(0));
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({4, 3, 9}, 1)}, {bias, Noise({9}, 2)}};
  EXPECT_EQ(WorkOf(session, feeds, y).launches, 1);
  EXPECT_TRUE(session.Run(feeds, y)->BitwiseEquals(single.Run(feeds, y).value()));
  // This would broadcast.
  const auto run = session.Run({{x, Noise({4, 1}, 1)}, {bias, Noise({9}, 2)}}, y);
  EXPECT_TRUE(IsInvalidArgument(run.status())) << run.status().ToString();
  EXPECT_THAT(run.status().message(), HasSubstr("{{node add}}"));
}

// The library of products adds the bias if it can. The numbers are small integers, so that the sums
// are exact in any order.
TEST_F(GpuFusionTest, ABiasOfAProductIsAddedAsByASeparateStep) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {-1, 300}), w = s.Placeholder("w", kFloat, {300, 70});
  const Output bias = s.Placeholder("bias", kFloat, {70});
  const Output y = AddOp(g, "BiasAdd", {MatMul(x, w), bias}).output(0);
  Session session = NewSession(g), single = NewSession(g, true);
  const auto passes = ExplainRun(session, {x, w, bias}, y).value().passes;
  const bool adds_bias = std::ranges::find(passes, "epilogues", &PassEffect::name)->changes == 1;
  RecordProperty("the library adds the bias", adds_bias);
  const auto integers = [](const Shape& shape, uint32_t seed) {
    Tensor t = Noise(shape, seed);
    for (float& each : t.mutable_flat<float>()) each = std::floor(each);
    return t;
  };
  for (int64_t rows : {1, 5, 129}) {
    const Feeds feeds = {
        {x, integers({rows, 300}, 1)}, {w, integers({300, 70}, 2)}, {bias, integers({70}, 3)}};
    EXPECT_EQ(WorkOf(session, feeds, y).launches, adds_bias ? 1 : 2);
    EXPECT_TRUE(session.Run(feeds, y)->BitwiseEquals(single.Run(feeds, y).value())) << rows;
  }
}

// The gradient of the mean computes shapes if the number of rows is not known.
TEST_F(GpuFusionTest, ShapesOfGradientsAreComputedOnTheHost) {
  Graph g;
  Scope s = Scope(g).Device("/gpu:0");
  const Output x = s.Placeholder("x", kFloat, {-1, 3});
  const Variable w = s.NewVariable(Noise({3}, 1), "w");
  const Output loss = ReduceMean(ReduceSum(Square(x * w), {1}));
  const Operation train = GradientDescent(0.1f).Minimize(loss);
  Session session = NewSession(g);
  session.InitializeMissing().value();
  const Feeds feeds = {{x, Noise({5, 3}, 2)}};
  session.Run(feeds, train).value();
  const DeviceWork work = WorkOf(session, feeds, train);
  EXPECT_EQ(work.copies_to_host, 0);
  // The batch, and the number by which the gradient of the mean divides.
  EXPECT_EQ(work.bytes_to_device, 5 * 3 * 4 + 4);
}

TEST_F(GpuFusionTest, ErrorsAreThoseOfTheNode) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output y = s.Placeholder("y", kFloat, Shape::Unknown());
  const Output sum = AddOp(g, "AddV2", {x, y}, {}, "sum").output(0);
  Session session = NewSession(g);
  const auto run = session.Run({{x, Noise({4}, 1)}, {y, Noise({3}, 2)}}, Tanh(sum));
  EXPECT_TRUE(IsInvalidArgument(run.status())) << run.status().ToString();
  EXPECT_THAT(run.status().message(), HasSubstr("{{node sum}}"));
}

TEST_F(GpuFusionTest, ValuesWithOtherReadersAreKept) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output product = x * 3.0f;
  const Output sum = Tanh(product) + product;
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({100}, 1)}};
  const auto found = session.Run(feeds, {product, sum}).value();
  const auto expected = single.Run(feeds, {product, sum}).value();
  EXPECT_TRUE(found[0].BitwiseEquals(expected[0]));
  EXPECT_TRUE(found[1].BitwiseEquals(expected[1]));
}

// Without axes, the parts run one by one. Two of them read y, which the first must not overwrite.
TEST_F(GpuFusionTest, PartsThatRunOneByOneKeepTheValuesThatOthersRead) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
  const Output y = s.Placeholder("y", kFloat, Shape::Unknown());
  const Output axes = s.Placeholder("axes", kInt32, Shape::Unknown());
  const Output quotient = AddOp(g, "RealDiv", {Square(x), y}).output(0);
  const Output sum =
      AddOp(g, "Sum", {AddOp(g, "RealDiv", {quotient, y}).output(0), axes}).output(0);
  Session session = NewSession(g), single = NewSession(g, true);
  const Feeds feeds = {{x, Noise({4, 9}, 1)}, {y, Noise({4, 9}, 2)}, {axes, Tensor(kInt32, {0})}};
  const auto found = session.Run(feeds, sum);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_TRUE(found->BitwiseEquals(single.Run(feeds, sum).value()));
}

TEST_F(GpuFusionTest, AnMlpStepHasFewLaunches) {
  Graph g;
  Mlp mlp(g, "/gpu:0");
  Session session = NewSession(g), single = NewSession(g, true);
  DeviceWork fused, separate;
  for (Session* each : {&session, &single}) {
    ASSERT_TRUE(each->Run(mlp.init).ok());
    ASSERT_TRUE(each->Run(mlp.Batch(), mlp.train).ok());
    (each == &session ? fused : separate) = WorkOf(*each, mlp.Batch(), mlp.train);
  }
  RecordProperty("launches", static_cast<int>(fused.launches));
  RecordProperty("launches of separate ops", static_cast<int>(separate.launches));
  EXPECT_EQ(fused.merged_launches, 1);  // four variables
  EXPECT_GE(fused.fused_launches, 1);
  EXPECT_LT(fused.launches, separate.launches);
  EXPECT_EQ(fused.bytes_to_host, 0);
  for (const Variable& v : mlp.variables()) {
    EXPECT_TRUE(session.Value(v)->BitwiseEquals(single.Value(v).value())) << v.op_name();
  }
}

// Up to eight updates of this rule are merged; a run for each variable merges none.
TEST_F(GpuFusionTest, MergedUpdatesHaveTheBitsOfSeparateOnes) {
  for (bool resource : {false, true}) {
    Graph g;
    Scope s = Scope(g).Device("/gpu:0");
    std::vector<Variable> variables;
    std::vector<Operation> updates;
    for (int i = 0; i < 19; ++i) {
      const Shape shape = i == 3 ? Shape{0} : Shape{1 + 700 * (i % 4), 2};
      const auto variable = [&](const char* role) {
        return s.NewVariable(Abs(Constant(g, Noise(shape, 3 * i))), StrCat(role, i),
                             {.use_resource = resource});
      };
      const Variable v = variable("v"), accumulator = variable("accumulator");
      const Output gradient = Constant(g, Noise(shape, 100 + i));
      const Output rate = Constant(g, 0.1f);
      const std::string op = resource ? "ResourceApplyMomentum" : "ApplyMomentum";
      updates.push_back(
          AddOp(g, op, {v.ref(), accumulator.ref(), rate, gradient, Constant(g, 0.9f)}));
      variables.push_back(v);
      variables.push_back(accumulator);
    }
    Session merged = NewSession(g), separate = NewSession(g);
    merged.InitializeMissing().value();
    separate.InitializeMissing().value();
    for (int step = 0; step < 2; ++step) {
      const DeviceWork work =
          WorkOf(merged, {}, Fetches(std::vector<GraphElement>(updates.begin(), updates.end())));
      EXPECT_EQ(work.merged_launches, 3);  // 8, 8 and 2, without the empty one
      for (const Operation& update : updates) {
        EXPECT_EQ(WorkOf(separate, {}, update).merged_launches, 0);
      }
    }
    for (const Variable& v : variables) {
      EXPECT_TRUE(merged.Value(v)->BitwiseEquals(separate.Value(v).value())) << v.op_name();
    }
  }
}

// Values are those of the order in which the ops run.
TEST_F(GpuFusionTest, ReadsAndSecondUpdatesSeeHeldUpdates) {
  Graph g;
  Scope s = Scope(g).Device("/gpu:0");
  const Variable v = s.NewVariable(Tensor::Vector<float>({1, 2}), "v");
  const Output gradient = Constant(g, Tensor::Vector<float>({1, 1}));
  const auto update = [&] {
    return AddOp(g, "ApplyGradientDescent", {v.ref(), Constant(g, 0.5f), gradient});
  };
  const Operation first = update();
  Output between;
  Operation second;
  {
    const Scope after = s.ControlDependencies({first});
    between = Output(v) * 2.0f;
  }
  {
    const Scope after = s.ControlDependencies({between.op()});
    second = update();
  }
  Output last;
  {
    const Scope after = s.ControlDependencies({second});
    last = Output(v) + 0.0f;
  }
  Session session = NewSession(g);
  session.InitializeMissing().value();
  const auto values = session.Run({between, last}).value();
  EXPECT_TRUE(values[0].BitwiseEquals(Tensor::Vector<float>({1, 3})));
  EXPECT_TRUE(values[1].BitwiseEquals(Tensor::Vector<float>({0, 1})));
  EXPECT_TRUE(session.Value(v)->BitwiseEquals(Tensor::Vector<float>({0, 1})));
}

TEST_F(GpuFusionTest, OnlyGpusCountWork) {
  EXPECT_FALSE(WorkOfDevice("CPU", 0).has_value());
  EXPECT_FALSE(WorkOfDevice("GPU", 99).has_value());
}

}  // namespace
}  // namespace ramet
