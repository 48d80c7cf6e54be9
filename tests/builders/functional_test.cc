#include "ramet/builders/functional.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using testing::Floats;
using ::testing::HasSubstr;
using testing::InputNames;
using ::testing::IsSupersetOf;
using testing::Names;

class FunctionalTest : public ::testing::Test {
 protected:
  StatusOr<std::vector<Tensor>> TryRun(const Outputs& outputs, const Feeds& feeds = {}) {
    RAMET_ASSIGN_OR_RETURN(Session session, Session::Create(g));
    return session.Run(feeds, std::vector<GraphElement>(outputs.begin(), outputs.end()));
  }
  std::vector<float> Run(const Output& output, const Feeds& feeds = {}) {
    auto values = TryRun({output}, feeds);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? Floats((*values)[0]) : std::vector<float>();
  }
  std::string Error() { return g.status().ToString(); }

  Graph g;
  Scope s{g};
  Output x = s.Placeholder("x", kFloat, {-1, 2});
  Output known = Constant(g, Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), "known");
  const Tensor rows = Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor none = Tensor(kFloat, {0, 2});
};

Outputs Add(const Outputs& so_far, const Outputs& slices) { return {so_far[0] + slices[0]}; }

// Returns so_far * 10 + slice, so that results show the order.
Outputs Digits(const Outputs& so_far, const Outputs& slices) {
  return {so_far[0] * 10 + slices[0]};
}

TEST_F(FunctionalTest, MapCallsTheFunctionOnceAndAppliesItToEachSlice) {
  int calls = 0;
  auto twice = [&](const Outputs& slices) {
    ++calls;
    EXPECT_EQ(slices[0].shape(), Shape({2}));
    return Outputs{slices[0] * 2};
  };
  const Outputs y = MapFn(s, twice, {x});
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(y.size(), 1u);
  EXPECT_EQ(y[0].shape(), Shape({-1, 2}));
  EXPECT_THAT(Run(y[0], {{x, rows}}), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(Run(y[0], {{x, none}}), ElementsAre());
}

TEST_F(FunctionalTest, MapHasTensorFlowsNodes) {
  const int first = g.num_operations();
  MapFn(s, [](const Outputs& v) { return Outputs{v[0] * 2.0}; }, {x});
  EXPECT_THAT(Names(g, first),
              IsSupersetOf({"map/Shape",
                            "map/strided_slice/stack",
                            "map/strided_slice/stack_1",
                            "map/strided_slice/stack_2",
                            "map/strided_slice",
                            "map/TensorArray",
                            "map/TensorArrayUnstack/Shape",
                            "map/TensorArrayUnstack/strided_slice/stack",
                            "map/TensorArrayUnstack/strided_slice",
                            "map/TensorArrayUnstack/range/start",
                            "map/TensorArrayUnstack/range/delta",
                            "map/TensorArrayUnstack/range",
                            "map/TensorArrayUnstack/TensorArrayScatter/TensorArrayScatterV3",
                            "map/Const",
                            "map/TensorArray_1",
                            "map/while/iteration_counter",
                            "map/while/Less_1",
                            "map/while/TensorArrayReadV3",
                            "map/while/mul/y",
                            "map/while/mul",
                            "map/while/TensorArrayWrite/TensorArrayWriteV3",
                            "map/while/TensorArrayWrite/TensorArrayWriteV3/Enter",
                            "map/while/add_1/y",
                            "map/while/Exit_2",
                            "map/TensorArrayStack/range/start",
                            "map/TensorArrayStack/range",
                            "map/TensorArrayStack/TensorArrayGatherV3"}));

  EXPECT_THAT(
      InputNames(g, "map/TensorArrayStack/TensorArrayGatherV3"),
      ElementsAre("map/TensorArray_1:0", "map/TensorArrayStack/range:0", "map/while/Exit_2:0"));
}

TEST_F(FunctionalTest, MapTakesAndReturnsSeveralTensors) {
  auto both = [](const Outputs& v) { return Outputs{v[0] + v[1], Cast(v[0], kInt32), v[0]}; };
  const Outputs y = MapFn(s, both, {x, known}, {.dtypes = {kFloat, kInt32, kFloat}});
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[1].dtype(), kInt32);
  EXPECT_EQ(y[0].shape(), Shape({3, 2}));
  EXPECT_THAT(Run(y[0], {{x, rows}}), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(TryRun(y, {{x, none}}).status().ToString(), HasSubstr("INVALID_ARGUMENT"));
}

TEST_F(FunctionalTest, FoldsGoFromOneSideToTheOther) {
  EXPECT_THAT(Run(FoldL(s, Digits, {known})[0]), ElementsAre(135, 246));
  EXPECT_THAT(Run(FoldR(s, Digits, {known})[0]), ElementsAre(531, 642));
  EXPECT_THAT(Run(FoldL(s, Digits, {x})[0], {{x, rows}}), ElementsAre(135, 246));
  EXPECT_THAT(Run(FoldR(s, Digits, {x})[0], {{x, rows}}), ElementsAre(531, 642));
  const Tensor nine = Tensor::Vector<float>({9, 9});
  EXPECT_THAT(Run(FoldL(s, Digits, {x}, {.initializer = {nine}})[0], {{x, rows}}),
              ElementsAre(9135, 9246));
  const Output right = FoldR(s, Digits, {x}, {.initializer = {nine}, .name = "from_right"})[0];
  EXPECT_EQ(right.op().name(), "from_right/while/Exit_2");
  EXPECT_THAT(Run(right, {{x, rows}}), ElementsAre(9531, 9642));
  EXPECT_THAT(Run(right, {{x, none}}), ElementsAre(9, 9));
}

TEST_F(FunctionalTest, ScanKeepsAllResults) {
  const Outputs sums = Scan(s, Add, {known});
  EXPECT_EQ(sums[0].shape(), Shape({3, 2}));
  EXPECT_THAT(Run(sums[0]), ElementsAre(1, 2, 4, 6, 9, 12));
  const Tensor nine = Tensor::Vector<float>({9, 9});
  EXPECT_THAT(Run(Scan(s, Digits, {x}, {.initializer = {nine}})[0], {{x, rows}}),
              ElementsAre(91, 92, 913, 924, 9135, 9246));
  EXPECT_THAT(Run(Scan(s, Digits, {x}, {.reverse = true})[0], {{x, rows}}),
              ElementsAre(531, 642, 53, 64, 5, 6));
  EXPECT_THAT(Run(Scan(s, Digits, {x}, {.initializer = {nine}})[0], {{x, none}}), ElementsAre());
}

TEST_F(FunctionalTest, GradientsGoThrough) {
  auto squares = [](const Outputs& v) { return Outputs{v[0] * v[0]}; };
  const Output mapped = ReduceSum(MapFn(s, squares, {x})[0]);
  EXPECT_THAT(Run(Gradients({mapped}, {x}).value()[0].values, {{x, rows}}),
              ElementsAre(2, 4, 6, 8, 10, 12));
  auto product = [](const Outputs& a, const Outputs& v) { return Outputs{a[0] * v[0]}; };
  const Output folded = ReduceSum(FoldL(s, product, {x})[0]);
  EXPECT_THAT(Run(Gradients({folded}, {x}).value()[0].values, {{x, rows}}),
              ElementsAre(15, 24, 5, 12, 3, 8));
  const Output scanned = ReduceSum(Scan(s, Add, {x}, {.reverse = true})[0]);
  EXPECT_THAT(Run(Gradients({scanned}, {x}).value()[0].values, {{x, rows}}),
              ElementsAre(1, 1, 2, 2, 3, 3));
}

TEST_F(FunctionalTest, MapsNest) {
  auto row_sum = [&](const Outputs& v) {
    Scope inside(g);
    return FoldL(inside, Add, {v[0]});
  };
  EXPECT_THAT(Run(MapFn(s, row_sum, {x})[0], {{x, rows}}), ElementsAre(3, 7, 11));
}

TEST_F(FunctionalTest, ScalarsAreAnError) {
  const Output scalar = s.Placeholder("scalar", kFloat, {});
  MapFn(s, [](const Outputs& v) { return v; }, {scalar});
  EXPECT_THAT(Error(), HasSubstr("Elements in elems must be 1+ dimensional Tensors, not scalars"));
}

TEST_F(FunctionalTest, NoTensorsAreAnError) {
  FoldL(s, Add, {});
  EXPECT_THAT(Error(), HasSubstr("elems must have at least one Tensor"));
}

TEST_F(FunctionalTest, DifferentDimensionsAreAnError) {
  const Output four = s.Placeholder("four", kFloat, {4});
  Scan(s, Add, {known, four});
  EXPECT_THAT(Error(), HasSubstr("Dimensions 3 and 4 are not compatible"));
}

TEST_F(FunctionalTest, WrongNumberOfResultsIsAnError) {
  const Outputs y = MapFn(s, [](const Outputs& v) { return Outputs{v[0], v[0]}; }, {x});
  EXPECT_THAT(Error(), HasSubstr("the function returned 2 tensors, expected 1"));
  for (const Output& output : y) EXPECT_FALSE(output.valid());
}

TEST_F(FunctionalTest, ResultOfWrongShapeIsAnError) {
  auto longer = [&](const Outputs& a, const Outputs&) { return Outputs{Concat({a[0], a[0]}, 0)}; };
  Scan(s, longer, {known});
  EXPECT_THAT(Error(), HasSubstr("Inconsistent shapes: saw"));
}

TEST_F(FunctionalTest, InnerErrorPersists) {
  auto wrong = [&](const Outputs& v) { return Outputs{MatMul(v[0], v[0])}; };
  MapFn(s, wrong, {x});
  EXPECT_THAT(Error(), HasSubstr("MatMul"));
  EXPECT_TRUE(MapFn(s, wrong, {Output()}).empty());
}

}  // namespace
}  // namespace ramet
