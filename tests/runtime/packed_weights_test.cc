// Tests products whose weights are packed once per version: that a run never sees the packed form
// of another version, and that training does not pay for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "ramet/ramet.h"
#include "ramet/tensor/kept_forms.h"

namespace ramet {
namespace {

constexpr int64_t kRows = 5, kIn = 70, kOut = 37;

Tensor Filled(const Shape& shape, float value) { return Tensor::Of<float>(shape, {value}); }
Tensor Weights(float value) { return Filled({kIn, kOut}, value); }

int64_t PackedBytes() { return KeptForms::Global().bytes(); }

class PackedWeightsTest : public ::testing::Test {
 protected:
  Session Open(SessionOptions options = {}) {
    Session session = Session::Create(g, options).value();
    session.InitializeMissing().value();
    return session;
  }
  Variable NewWeights(bool resource = false) {
    return s.NewVariable(Weights(1), "w", {.use_resource = resource});
  }
  Operation Assign(const Variable& w, std::string_view op, const Output& value, bool resource) {
    return AddOp(g, StrCat(op, resource ? "VariableOp" : ""), {w.ref(), value});
  }
  // Returns how many products of a run the pass chose.
  static int64_t Packed(const Session& session, const Output& x, const Fetches& fetches) {
    const PlanReport report = ExplainRun(session, {x}, fetches).value();
    for (const PassEffect& effect : report.passes) {
      if (effect.name == "packed_weights") return effect.changes;
    }
    return -1;
  }
  // Runs y and expects that all its elements are `value`.
  void ExpectAll(Session& session, const Output& y, float value) {
    const Tensor found = session.Run({{x, ones}}, y).value();
    for (float element : found.flat<float>()) ASSERT_EQ(element, value);
  }

  Graph g;
  Scope s{g};
  const Output x = s.Placeholder("x", kFloat, {-1, kIn});
  const Tensor ones = Filled({kRows, kIn}, 1);
};

TEST_F(PackedWeightsTest, ConstantsArePackedOnce) {
  const Output y = MatMul(x, Constant(g, Weights(2)));
  const int64_t before = PackedBytes();
  {
    Session session = Open();
    EXPECT_EQ(Packed(session, x, y), 1);
    for (int i = 0; i < 3; ++i) ExpectAll(session, y, 2 * kIn);
    EXPECT_GE(PackedBytes() - before, kIn * kOut * 4);
    EXPECT_LT(PackedBytes() - before, 2 * kIn * kOut * 4);
  }
  EXPECT_EQ(PackedBytes(), before);
}

TEST_F(PackedWeightsTest, FedTensorsAreNotPacked) {
  const Output w = s.Placeholder("w", kFloat, {kIn, kOut});
  const Output y = MatMul(x, AddOp(g, "Identity", {w}).output(0));
  Session session = Open();
  for (float value : {1.0f, 2.0f, 3.0f}) {
    Tensor fed = Weights(value);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(session.Run({{x, ones}, {w, fed}}, y)->data<float>()[0], value * kIn);
    }
    fed.mutable_data<float>()[0] += 1;
    EXPECT_EQ(session.Run({{x, ones}, {w, fed}}, y)->data<float>()[0], value * kIn + 1);
  }
}

// In place, with a new buffer, and by a second session that shares nothing but the graph.
TEST_F(PackedWeightsTest, EachUpdateOfAVariableIsSeen) {
  for (const bool resource : {false, true}) {
    const Variable w = s.NewVariable(Weights(1), resource ? "r" : "v", {.use_resource = resource});
    const Output y = MatMul(x, w), value = Constant(g, Weights(3));
    const Operation add = Assign(w, "AssignAdd", Constant(g, Weights(1)), resource);
    const Operation set = Assign(w, "Assign", value, resource);
    Session session = Open(), other = Open();
    EXPECT_EQ(Packed(session, x, y), 1);
    for (int round = 0; round < 3; ++round) {
      session.Run(set).value();
      for (int step = 0; step < 5; ++step) {
        for (int use = 0; use < step; ++use) ExpectAll(session, y, (3.0f + step) * kIn);
        session.Run(add).value();
      }
      ExpectAll(other, y, kIn);
    }
  }
}

TEST_F(PackedWeightsTest, AnUpdateFreesTheFormAndWorksInPlaceAgain) {
  const Variable w = NewWeights();
  const Output y = MatMul(x, w);
  const Operation add = AddOp(g, "AssignAdd", {w.ref(), Constant(g, Weights(1))});
  Session session = Open();
  const int64_t before = PackedBytes();
  for (int i = 0; i < 2; ++i) ExpectAll(session, y, kIn);
  EXPECT_GT(PackedBytes(), before);
  session.Run(add).value();
  EXPECT_EQ(PackedBytes(), before);
  const int64_t in_use = GetHostAllocatorStats().bytes_in_use;
  for (int i = 0; i < 3; ++i) session.Run(add).value();
  ExpectAll(session, y, 5 * kIn);
  EXPECT_EQ(GetHostAllocatorStats().bytes_in_use, in_use);
  EXPECT_EQ(PackedBytes(), before);
}

// A version that is used once between two updates is not worth packing.
TEST_F(PackedWeightsTest, VersionsThatAreUsedOnceAreNotPacked) {
  const Variable w = NewWeights();
  const Output y = MatMul(x, w);
  const Operation add = AddOp(g, "AssignAdd", {w.ref(), Constant(g, Weights(1))});
  Session session = Open();
  const int64_t before = PackedBytes();
  for (int i = 0; i < 5; ++i) {
    ExpectAll(session, y, (1.0f + i) * kIn);
    EXPECT_EQ(PackedBytes(), before);
    session.Run(add).value();
  }
}

TEST_F(PackedWeightsTest, RunsThatWriteTheWeightsDoNotPackThem) {
  for (const bool resource : {false, true}) {
    const Variable w = s.NewVariable(Weights(1), resource ? "r" : "v", {.use_resource = resource});
    const Output y = MatMul(x, w);
    Scope after = s.ControlDependencies({y.op()});
    const Operation add = Assign(w, "AssignSub", Constant(g, Weights(1)), resource);
    Session session = Open();
    EXPECT_EQ(Packed(session, x, {y, add}), 0) << resource;
    EXPECT_EQ(Packed(session, x, y), 1);
  }
}

TEST_F(PackedWeightsTest, EpiloguesAndTransposedWeights) {
  const Variable w = NewWeights();
  const Variable t = s.NewVariable(Filled({kOut, kIn}, 2), "t");
  const Variable bias = s.NewVariable(Filled({kOut}, -1), "bias");
  const Output plain = MatMul(x, w), biased = BiasAdd(MatMul(x, w), bias);
  const Output relu = Relu(MatMul(x, w) * -1.0 + MatMul(x, w));
  const Output dims = Constant(g, Tensor::Vector({kIn, kOut}));
  const Output reshaped = MatMul(x, AddOp(g, "Reshape", {t, dims}).output(0));
  const Output transposed = AddOp(g, "MatMul", {x, t}, {{"transpose_b", true}}).output(0);
  const Output sum = AddOp(g, "Add", {transposed, plain}).output(0);
  Session session = Open();
  EXPECT_EQ(Packed(session, x, {reshaped, transposed}), 2);
  for (int i = 0; i < 3; ++i) {
    ExpectAll(session, plain, kIn);
    ExpectAll(session, biased, kIn - 1);
    ExpectAll(session, Relu(biased), kIn - 1);
    ExpectAll(session, relu, 0);
    ExpectAll(session, transposed, 2 * kIn);
    ExpectAll(session, reshaped, 2 * kIn);
    ExpectAll(session, sum, 3 * kIn);
  }
}

// A split of the columns becomes part of the product, whose pieces may be whole panels or not.
TEST_F(PackedWeightsTest, ProductsThatAreSplit) {
  Tensor weights = Filled({kIn, 128}, 0);
  for (int64_t i = 0; i < weights.num_elements(); ++i) {
    weights.mutable_data<float>()[i] = static_cast<float>(i % 11 - 5);
  }
  const Variable w = s.NewVariable(weights, "w"), bias = s.NewVariable(Filled({128}, 3), "b");
  std::vector<Output> pieces;
  const auto split = [&](const Output& value, int num, int axis) {
    const Operation op = AddOp(g, "Split", {Constant(g, axis), value}, {{"num_split", num}});
    for (int i = 0; i < num; ++i) pieces.push_back(op.output(i));
  };
  split(MatMul(x, w), 4, 1);
  split(BiasAdd(MatMul(x, w), bias), 4, -1);
  split(Relu(BiasAdd(MatMul(x, w), bias)), 2, 1);
  split(BiasAdd(MatMul(x, w), bias), 8, 1);
  split(BiasAdd(MatMul(x, w), bias), 16, 1);
  split(MatMul(x, w), 1, 1);
  split(MatMul(x, w) + Constant(g, Filled({1, 128}, 1)), 2, 1);
  Session with = Open({.disabled_passes = {"common_subexpressions"}});
  Session without = Open({.disabled_passes = {"all"}});
  const Fetches fetches(std::vector<GraphElement>(pieces.begin(), pieces.end()));
  for (int64_t rows : {4, 1, 200, 2}) {
    const Tensor fed = Filled({rows, kIn}, 2);
    for (int run = 0; run < 3; ++run) {
      const auto found = with.Run({{x, fed}}, fetches).value();
      const auto expected = without.Run({{x, fed}}, fetches).value();
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_TRUE(found[i].BitwiseEquals(expected[i])) << rows << " rows, piece " << i;
      }
    }
  }
}

TEST_F(PackedWeightsTest, ASplitIsPartOfTheProduct) {
  const Variable w = s.NewVariable(Filled({kIn, 128}, 1), "w");
  const Variable bias = s.NewVariable(Filled({128}, 3), "b");
  const Operation rows = AddOp(g, "Split", {Constant(g, 0), MatMul(x, w)}, {{"num_split", 4}});
  const Operation op =
      AddOp(g, "Split", {Constant(g, 1), BiasAdd(MatMul(x, w), bias)}, {{"num_split", 4}});
  Session session = Open();
  const auto saved = [&](const Operation& split) {
    const PlanReport report = ExplainRun(session, {x}, {split.output(0), split.output(3)}).value();
    for (const PassEffect& effect : report.passes) {
      if (effect.name == "packed_weights") return effect.steps_saved;
    }
    return int64_t{-1};
  };
  EXPECT_EQ(saved(op), 1);
  EXPECT_EQ(saved(rows), 0);
}

// The first use reads the weights as they are stored, the later ones read the packed form.
TEST_F(PackedWeightsTest, AllUsesHaveTheSameBits) {
  constexpr int64_t kDepth = 700;
  const auto uneven = [](const Shape& shape) {
    Tensor values(kFloat, shape);
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      values.mutable_data<float>()[i] = 1.0f / static_cast<float>(1 + i % 97);
    }
    return values;
  };
  const Output rows = s.Placeholder("rows", kFloat, {-1, kDepth});
  for (const bool transposed : {false, true}) {
    const Shape shape = transposed ? Shape{kOut, kDepth} : Shape{kDepth, kOut};
    const Output y =
        AddOp(g, "MatMul", {rows, Constant(g, uneven(shape))}, {{"transpose_b", transposed}})
            .output(0);
    Session session = Open();
    const Tensor fed = uneven({kRows, kDepth});
    const Tensor first = session.Run({{rows, fed}}, y).value();
    for (int run = 0; run < 2; ++run) {
      const Tensor later = session.Run({{rows, fed}}, y).value();
      EXPECT_TRUE(std::ranges::equal(first.flat<float>(), later.flat<float>()));
    }
  }
}

TEST_F(PackedWeightsTest, NanAndInfinityArriveAsWithoutPacking) {
  Tensor value = Weights(1), fed = Filled({kRows, kIn}, 1);
  value.mutable_data<float>()[3] = HUGE_VALF;
  fed.mutable_data<float>()[2 * kIn + 5] = NAN;
  const Output y = MatMul(x, s.NewVariable(value, "w"));
  Session with = Open(), without = Open({.disabled_passes = {"packed_weights"}});
  for (int i = 0; i < 3; ++i) {
    const Tensor a = with.Run({{x, fed}}, y).value(), b = without.Run({{x, fed}}, y).value();
    for (int64_t j = 0; j < a.num_elements(); ++j) {
      const float found = a.data<float>()[j], expected = b.data<float>()[j];
      ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << j;
    }
  }
}

TEST_F(PackedWeightsTest, EmptyOperandsAndErrorsAreThoseOfTheOp) {
  const Output w = s.NewVariable(Weights(1), "w");
  const Output y = MatMul(s.Placeholder("any", kFloat), w);
  const Output any = y.op().input(0);
  Session session = Open();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(session.Run({{any, Filled({0, kIn}, 0)}}, y)->shape(), Shape({0, kOut}));
    const auto error = session.Run({{any, Filled({2, 3}, 0)}}, y);
    EXPECT_NE(error.status().message().find("Matrix size-incompatible: In[0]: [2,3]"),
              std::string::npos);
    EXPECT_EQ(session.Run({{any, Filled({2, kIn}, 1)}}, y)->data<float>()[0], kIn);
  }
}

TEST_F(PackedWeightsTest, DeterministicSessionsDoNotPack) {
  const Output y = MatMul(x, NewWeights());
  Session session = Open({.deterministic = true});
  EXPECT_EQ(Packed(session, x, y), 0);
}

// The weights of a loop are packed in its second iteration, also in a run that updates them.
TEST_F(PackedWeightsTest, LoopsPackTheirWeights) {
  const Variable w = s.NewVariable(Filled({kIn, kIn}, 0.0f), "w");
  const Output identity = Constant(g, [] {
    Tensor t = Filled({kIn, kIn}, 0);
    for (int64_t i = 0; i < kIn; ++i) t.mutable_data<float>()[i * kIn + i] = 2;
    return t;
  }());
  const Operation set = AddOp(g, "Assign", {w.ref(), identity});
  const Outputs loop = WhileLoop(
      s,
      [&](const Outputs& v) {
        return AddOp(g, "Less", {v[0], 6}).output(0);
      },
      [&](const Outputs& v) {
        return Outputs{v[0] + 1, MatMul(v[1], w)};
      },
      {Constant(g, 0), x});
  Scope after = s.ControlDependencies({loop[1].op()});
  const Operation twice = AddOp(g, "AssignAdd", {w.ref(), w});
  Session session = Open();
  session.Run(set).value();
  float scale = 2;
  for (int run = 0; run < 3; ++run, scale *= 2) {
    const auto found = session.Run({{x, ones}}, {loop[1], twice}).value();
    for (float element : found[0].flat<float>()) ASSERT_EQ(element, std::pow(scale, 6.0f));
  }
  EXPECT_EQ(Packed(session, x, loop[1]), 1);
}

// The gates of a recurrent network: a product in a loop, a bias, a split.
TEST_F(PackedWeightsTest, LoopsSplitTheirProducts) {
  const Variable w = s.NewVariable(Filled({kIn, 2 * kIn}, 0.5f), "w");
  const Variable bias = s.NewVariable(Filled({2 * kIn}, 0.25f), "b");
  const Outputs loop = WhileLoop(
      s,
      [&](const Outputs& v) {
        return AddOp(g, "Less", {v[0], 4}).output(0);
      },
      [&](const Outputs& v) {
        const Operation gates =
            AddOp(g, "Split", {Constant(g, 1), BiasAdd(MatMul(v[1], w), bias)}, {{"num_split", 2}});
        return Outputs{v[0] + 1, Sigmoid(gates.output(0)) * Tanh(gates.output(1))};
      },
      {Constant(g, 0), x});
  Session with = Open(), without = Open({.disabled_passes = {"all"}});
  EXPECT_EQ(Packed(with, x, loop[1]), 1);
  for (int run = 0; run < 3; ++run) {
    const Tensor found = with.Run({{x, ones}}, loop[1]).value();
    const Tensor expected = without.Run({{x, ones}}, loop[1]).value();
    for (int64_t i = 0; i < found.num_elements(); ++i) {
      ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], 1e-6);
    }
  }
}

// While one thread updates the weights, each run of the others sees one of the versions.
TEST_F(PackedWeightsTest, ThreadsSeeWholeVersions) {
  const Variable w = NewWeights();
  const Output y = MatMul(x, w);
  const Operation add = AddOp(g, "AssignAdd", {w.ref(), Constant(g, Weights(1))});
  Session session = Open();
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      float last = 0;
      while (!done) {
        const Tensor found = session.Run({{x, ones}}, y).value();
        const float first = found.data<float>()[0];
        for (float element : found.flat<float>()) wrong += element != first;
        wrong += first < last || std::fmod(first, static_cast<float>(kIn)) != 0;
        last = first;
      }
    });
  }
  for (int i = 0; i < 300; ++i) {
    session.Run(add).value();
    std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 100));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  ExpectAll(session, y, 301 * kIn);
}

}  // namespace
}  // namespace ramet
