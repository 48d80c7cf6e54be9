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

class WrappersTest : public ::testing::Test {
 protected:
  std::vector<float> Run(const Output& x) {
    EXPECT_TRUE(x.valid()) << g.status().ToString();
    return Floats(Session::Create(g).value().Run(x).value());
  }
  Output Matrix(std::initializer_list<float> values, const Shape& shape) {
    return Constant(g, Tensor::Of<float>(shape, values));
  }

  Graph g;
  Scope s{g};
};

TEST_F(WrappersTest, OptionsNamesAndDefaults) {
  Output a = Matrix({1, 2}, {1, 2}), b = Matrix({3, 4}, {1, 2});
  Output product = MatMul(a, b, {.transpose_b = true});
  EXPECT_EQ(product.name(), "MatMul:0");
  EXPECT_THAT(Run(product), ElementsAre(11));
  EXPECT_EQ(MatMul(b, a, {.transpose_a = true}, "named").name(), "named:0");
  EXPECT_EQ(Softmax(a, "out").name(), "out:0");
}

TEST_F(WrappersTest, RequiredAttrsAreArguments) {
  Output y = Cast(Matrix({1.5}, {1}), kInt32);
  EXPECT_EQ(y.dtype(), kInt32);
}

TEST_F(WrappersTest, SeveralOutputsHaveNames) {
  Output x = Constant(g, Tensor::Vector<float>({7, 8, 7}));
  UniqueOutputs unique = Unique(x);
  EXPECT_THAT(Run(unique.y), ElementsAre(7, 8));
  EXPECT_EQ(unique.idx.name(), "Unique:1");
}

TEST_F(WrappersTest, ListsOfInputsAndOutputs) {
  Output x = Matrix({1, 2}, {2});
  EXPECT_THAT(Run(AddN({x, x, x})), ElementsAre(3, 6));
  EXPECT_EQ(IdentityN({x, x}).size(), 2u);
}

TEST_F(WrappersTest, ReferencesComeFromVariables) {
  Variable v = s.GetVariable("v", {2}, Zeros());
  Output assigned = Assign(v, Matrix({5, 6}, {2}));
  EXPECT_THAT(InputNames(g, "Assign"), ElementsAre("v:0", "Const:0"));
  EXPECT_THAT(Run(assigned), ElementsAre(5, 6));
}

TEST_F(WrappersTest, OpsWithoutInputsTakeTheGraph) {
  Operation nothing = NoOp(g, "nothing");
  EXPECT_EQ(nothing.name(), "nothing");
  EXPECT_THAT(Run(Fill(g, {2}, 3.0f)), ElementsAre(3, 3));
}

TEST_F(WrappersTest, ErrorsNameTheCallersLine) {
  EXPECT_FALSE(MatMul(Matrix({1}, {1, 1}), Matrix({1, 2}, {2, 1}), "bad").valid());
  EXPECT_THAT(g.status().message(), HasSubstr("wrappers_test.cc:"));
  EXPECT_THAT(g.status().message(), HasSubstr("node 'bad' (MatMul)"));
}

TEST_F(WrappersTest, InvalidInputsGiveInvalidOutputs) {
  EXPECT_FALSE(Unique(Output()).y.valid());
  EXPECT_TRUE(IdentityN({Output()}).empty());
  EXPECT_FALSE(ReduceSum(Output()).valid());
}

TEST_F(WrappersTest, Reductions) {
  Output x = Matrix({1, 2, 3, 4}, {2, 2});
  EXPECT_THAT(Run(ReduceSum(x)), ElementsAre(10));
  EXPECT_THAT(Run(ReduceMean(x, 0)), ElementsAre(2, 3));
  EXPECT_THAT(Run(ReduceMax(x, {-1})), ElementsAre(2, 4));
  EXPECT_EQ(ReduceMin(x, {1}, {.keep_dims = true}).shape(), Shape({2, 1}));
  EXPECT_THAT(Run(ReduceProd(x, std::vector<int>{})), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(ReduceSum(x, {}, {.name = "total"}).name(), "total:0");
  Output u = s.Placeholder("u", kFloat);
  Output sum = ReduceSum(u);
  Session session = Session::Create(g).value();
  EXPECT_THAT(Floats(session.Run({{u, Tensor::Vector<float>({1, 2})}}, sum).value()),
              ElementsAre(3));
}

TEST_F(WrappersTest, JoiningAndSplitting) {
  Output x = Matrix({1, 2}, {1, 2}), y = Matrix({3, 4}, {1, 2});
  EXPECT_THAT(Run(Concat({x, y}, 1)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Concat({x}, 0).op().type(), "Identity");
  EXPECT_EQ(Stack({x, y}, 1).shape(), Shape({1, 2, 2}));
  EXPECT_THAT(Run(Unstack(Concat({x, y}, 0))[1]), ElementsAre(3, 4));
  EXPECT_THAT(Run(Split(x, 2, 1)[1]), ElementsAre(2));
  EXPECT_THAT(Run(Split(Concat({x, y}, 1), {1, 3}, 1)[1]), ElementsAre(2, 3, 4));
  EXPECT_TRUE(Unstack(s.Placeholder("u", kFloat)).empty());
  EXPECT_THAT(g.status().message(), HasSubstr("Unstack needs a known size of axis 0"));
}

TEST_F(WrappersTest, TransposeSqueezeGather) {
  Output x = Matrix({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_THAT(Run(Transpose(x)), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(Transpose(x, {0, 1}).shape(), Shape({2, 3}));
  EXPECT_EQ(Squeeze(ExpandDims(x, 0)).shape(), Shape({2, 3}));
  EXPECT_THAT(Run(Gather(x, {1}, 1)), ElementsAre(2, 5));
  Output u = s.Placeholder("u", kFloat);
  Output turned = Transpose(u);
  Session session = Session::Create(g).value();
  Tensor fed = Tensor::Of<float>({1, 2}, {1, 2});
  EXPECT_EQ(session.Run({{u, fed}}, turned).value().shape(), Shape({2, 1}));
}

TEST_F(WrappersTest, RandomTensors) {
  Output shape = Constant(g, Tensor::Vector<int32_t>({1000}));
  for (float v : Run(RandomUniform(g, shape, {.minval = -1.0, .maxval = 1.0, .seed = 1}))) {
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
  }
  for (float v : Run(TruncatedNormal(g, shape, {.mean = 1.0, .stddev = 0.5, .seed = 1}))) {
    ASSERT_LE(std::abs(v - 1), 1.0f);
  }
  Output raw = RandomUniform(g, shape, {.seed = 1});
  EXPECT_EQ(raw.op().type(), "RandomUniform");
  std::vector<float> shuffled =
      Run(RandomShuffle(Constant(g, Tensor::Vector<float>({1, 2, 3})), 4));
  EXPECT_THAT(shuffled, ::testing::UnorderedElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace ramet
