// Compares random element-wise graphs that are fused on a GPU with separate steps.
#include "gpu_fusion.h"

namespace ramet {
namespace {

using testing::GpuFusionTest;

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

// Values of random graphs of element-wise ops, many of which have several readers.
TEST_F(GpuFusionTest, RandomGraphsHaveTheBitsOfSeparateSteps) {
  static constexpr const char* kUnary[] = {"Neg", "Square", "Tanh", "Sigmoid"};
  static constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum"};
  int64_t fused = 0;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    std::mt19937 random(seed);
    Graph g;
    Scope s(g);
    std::vector<Output> values = {s.Placeholder("x", kFloat, {-1, 7}),
                                  s.Placeholder("y", kFloat, {-1, 7}),
                                  s.Placeholder("row", kFloat, {7})};
    const auto pick = [&] { return values[values.size() - 1 - random() % 3]; };
    std::vector<Output> fetches;
    for (int i = 0; i < 24; ++i) {
      const uint32_t kind = random() % 4;
      if (kind == 0) {
        values.push_back(AddOp(g, kUnary[random() % 4], {pick()}).output(0));
      } else if (kind == 1 && i > 4) {
        const Output axis = Constant(g, Tensor::Vector<int32_t>({i % 2 == 0 ? 0 : -1}));
        fetches.push_back(AddOp(g, "Sum", {pick(), axis}).output(0));
      } else {
        values.push_back(AddOp(g, kBinary[random() % 4], {pick(), pick()}).output(0));
      }
      if (random() % 4 == 0) fetches.push_back(values.back());
    }
    fetches.push_back(values.back());
    Session session = NewSession(g), single = NewSession(g, true);
    // The last shapes broadcast where none is expected.
    for (const auto& [x, y] : {std::pair{300, 300}, {1, 1}, {0, 0}, {1, 5}}) {
      const Feeds feeds = {
          {values[0], Noise({x, 7}, 1)}, {values[1], Noise({y, 7}, 2)}, {values[2], Noise({7}, 3)}};
      const DeviceWork before = Work();
      const auto found = session.Run(feeds, AsFetches(fetches));
      ASSERT_TRUE(found.ok()) << found.status().ToString();
      fused += (Work() - before).fused_launches;
      const auto expected = single.Run(feeds, AsFetches(fetches)).value();
      for (size_t i = 0; i < fetches.size(); ++i) {
        EXPECT_TRUE((*found)[i].BitwiseEquals(expected[i])) << "graph " << seed << ", fetch " << i;
      }
    }
  }
  EXPECT_GE(fused, 30);
}

}  // namespace
}  // namespace ramet
