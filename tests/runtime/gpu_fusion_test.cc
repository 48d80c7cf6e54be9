// Tests of fused element-wise ops, merged updates and counted work on a GPU, through the public
// API. The device is a processor behind OpenCL (PoCL), unless RAMET_TEST_GPU names a driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "mlp.h"
#include "ramet/backends/gpu/testing/test_driver.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using testing::Mlp;

class GpuFusionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::UseTestDriver();
    Graph g;
    const auto session = Session::Create(g);
    if (!session.ok()) GTEST_SKIP() << "skipped: " << session.status().message();
  }

  static DeviceWork Work() { return WorkOfDevice("GPU", 0).value(); }

  // Returns the work of a run.
  static DeviceWork WorkOf(Session& session, const Feeds& feeds, const Fetches& fetches) {
    const DeviceWork before = Work();
    const auto run = session.Run(feeds, fetches);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return Work() - before;
  }

  static Session NewSession(Graph& g, bool deterministic = false) {
    return Session::Create(g, {.allow_soft_placement = true, .deterministic = deterministic})
        .value();
  }

  static Tensor Noise(const Shape& shape, uint32_t seed) {
    std::mt19937 random(seed);
    Tensor t(kFloat, shape);
    for (float& x : t.mutable_flat<float>()) x = static_cast<float>(random()) / 4e8f - 5.0f;
    return t;
  }
};

// Builds random trees of element-wise ops.
class RandomTree {
 public:
  RandomTree(Graph& g, std::vector<Output> leaves, uint32_t seed)
      : g_(g), leaves_(std::move(leaves)), random_(seed) {}

  // Returns a value of `dtype`, a floating one or int32.
  Output Make(DType dtype, int depth) {
    if (depth == 0) return Leaf(dtype);
    if (dtype == kInt32) return MakeInt(depth);
    switch (random_() % 5) {
      case 0: return Unary(dtype, depth);
      case 1: return CastFrom(dtype, depth);
      default: return Binary(dtype, depth);
    }
  }

 private:
  Output Leaf(DType dtype) {
    const Output leaf = leaves_[random_() % leaves_.size()];
    return dtype == kFloat ? leaf : Cast(leaf, dtype);
  }
  Output Unary(DType dtype, int depth) {
    static constexpr const char* kOps[] = {"Neg", "Abs", "Square", "Tanh", "Relu", "Sigmoid"};
    return AddOp(g_, kOps[random_() % 6], {Make(dtype, depth - 1)}).output(0);
  }
  Output Binary(DType dtype, int depth) {
    static constexpr const char* kOps[] = {"AddV2",   "Sub", "Mul",      "Maximum",
                                           "RealDiv", "Mul", "FloorMod", "SquaredDifference"};
    const Output a = Make(dtype, depth - 1), b = Make(dtype, depth - 1);
    return AddOp(g_, kOps[random_() % 8], {a, b}).output(0);
  }
  Output CastFrom(DType dtype, int depth) {
    static constexpr DType kFrom[] = {kFloat, kHalf, kBFloat16, kDouble, kInt32};
    const DType from = kFrom[random_() % 5];
    return from == dtype ? Unary(dtype, depth) : Cast(Make(from, depth - 1), dtype);
  }
  Output MakeInt(int depth) {
    static constexpr const char* kOps[] = {"AddV2", "Sub", "Mul", "Minimum"};
    const Output a = Make(kInt32, depth - 1), b = Make(kInt32, depth - 1);
    return AddOp(g_, kOps[random_() % 4], {a, b}).output(0);
  }

  Graph& g_;
  const std::vector<Output> leaves_;
  std::mt19937 random_;
};

// Deterministic sessions run the steps one by one.
TEST_F(GpuFusionTest, RandomTreesHaveTheBitsOfSeparateSteps) {
  const std::vector<std::vector<Shape>> all_shapes = {
      {{5, 7}, {5, 7}, {5, 7}, {5, 7}}, {{5, 7}, {7}, {5, 1}, {}},
      {{0, 3}, {3}, {1, 3}, {}},        {{2, 1, 3, 1}, {4, 1, 5}, {3, 5}, {1}},
      {{1, 1}, {}, {1}, {1, 1, 1}},     {{3, 1100}, {1100}, {3, 1100}, {3, 1}},
  };
  int64_t fused = 0;
  for (uint32_t seed = 0; seed < 5; ++seed) {
    constexpr DType kTypes[] = {kFloat, kHalf, kBFloat16, kDouble, kInt32};
    Graph g;
    Scope s(g);
    std::vector<Output> leaves;
    for (int i = 0; i < 4; ++i) {
      leaves.push_back(s.Placeholder(StrCat("x", i), kFloat, Shape::Unknown()));
    }
    const Output root = RandomTree(g, leaves, seed).Make(kTypes[seed % 5], 3);
    Session session = NewSession(g), single = NewSession(g, true);
    for (const std::vector<Shape>& shapes : all_shapes) {
      Feeds feeds;
      for (int i = 0; i < 4; ++i) feeds.push_back({leaves[i], Noise(shapes[i], 10 * seed + i)});
      const DeviceWork before = Work();
      const auto found = session.Run(feeds, root);
      ASSERT_TRUE(found.ok()) << found.status().ToString();
      fused += (Work() - before).fused_launches;
      const Tensor expected = single.Run(feeds, root).value();
      EXPECT_EQ(found->shape(), expected.shape());
      EXPECT_TRUE(found->BitwiseEquals(expected)) << "tree " << seed << ", " << shapes[0];
    }
  }
  EXPECT_GE(fused, 20);
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
