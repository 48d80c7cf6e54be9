// Tests the values that are known while a graph is built: which ops are run to find them, and how
// much work that may take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ints.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/scope.h"
#include "ramet/op/control_flow.h"
#include "ramet/op/function_call.h"

namespace ramet {
namespace {

constexpr int64_t kHugeDim = int64_t{1} << 62;

class FoldingTest : public ::testing::Test {
 protected:
  Output Add(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs = {}) {
    return AddOp(graph_, op, inputs, std::move(attrs)).output(0);
  }
  Output Const(const Tensor& value) { return Constant(graph_, value); }
  Graph graph_;
};

TEST_F(FoldingTest, FoldableOpsHaveNoSideEffects) {
  for (const Op* op : OpRegistry::Global().All()) {
    if (!op->foldable()) continue;
    const OpSchema& schema = op->schema();
    EXPECT_FALSE(schema.is_stateful) << op->name();
    EXPECT_FALSE(op->calls_program()) << op->name();
    EXPECT_EQ(ControlFlowOf(*op), ControlFlow::kNone) << op->name();
    EXPECT_EQ(FunctionCallOf(*op), FunctionCallKind::kNone) << op->name();
    for (const auto* args : {&schema.inputs, &schema.outputs}) {
      for (const ArgSchema& arg : *args) {
        EXPECT_FALSE(arg.is_ref) << op->name();
        EXPECT_NE(arg.type, DType::kString) << op->name();
        EXPECT_NE(arg.type, DType::kResource) << op->name();
        EXPECT_NE(arg.type, DType::kVariant) << op->name();
      }
    }
    for (const AttrSchema& attr : schema.attrs) {
      EXPECT_NE(attr.type, "func") << op->name();
      EXPECT_FALSE(attr.name.starts_with("seed")) << op->name();
    }
  }
}

TEST_F(FoldingTest, OpsUsedToComputeShapesAreFoldable) {
  for (const char* name : {"AddV2",
                           "Sub",
                           "Mul",
                           "FloorDiv",
                           "FloorMod",
                           "Maximum",
                           "Minimum",
                           "Neg",
                           "Pack",
                           "Unpack",
                           "ConcatV2",
                           "Slice",
                           "StridedSlice",
                           "GatherV2",
                           "Reshape",
                           "Cast",
                           "Range",
                           "Fill",
                           "Prod",
                           "Sum",
                           "Max",
                           "Min",
                           "ExpandDims",
                           "Squeeze",
                           "Size",
                           "Shape",
                           "Rank",
                           "ConcatOffset",
                           "BroadcastGradientArgs",
                           "Equal",
                           "Select",
                           "Tile",
                           "Transpose",
                           "OnesLike",
                           "Split",
                           "DynamicStitch",
                           "InvertPermutation",
                           "Ceil",
                           "Identity"}) {
    EXPECT_TRUE(OpRegistry::Global().Find(name)->foldable()) << name;
  }
}

TEST_F(FoldingTest, FilesAreNotReadAndStringsAreNotComputed) {
  const std::string path = ::testing::TempDir() + "/folding_test.txt";
  std::ofstream(path) << "alpha";
  const Output content = Add("ReadFile", {Const(Tensor(path))});
  EXPECT_TRUE(ConstantValue(content).empty());
  const Output hash = Add("StringToHashBucketFast", {content}, {{"num_buckets", int64_t{1000}}});
  EXPECT_TRUE(ConstantValue(hash).empty());
  EXPECT_TRUE(ConstantValue(Add("StringJoin", {Const(Tensor("a")), Const(Tensor("b"))})).empty());
  EXPECT_TRUE(
      ConstantValue(Add("Tile", {Const(Tensor::Vector<std::string>({"a"})), Ints({2})})).empty());
  EXPECT_TRUE(
      ConstantValue(Add("MatMul", {Const(Tensor(kFloat, {1, 1})), Const(Tensor(kFloat, {1, 1}))}))
          .empty());
}

// With 16 equal inputs per level there are 16^12 paths.
TEST_F(FoldingTest, EachNodeIsEvaluatedOnce) {
  Output x = Const(Ints({1}));
  for (int level = 0; level < 12; ++level) x = Add("AddN", std::vector<Input>(16, x));
  const Tensor value = ConstantValue(x);
  ASSERT_FALSE(value.empty());
  EXPECT_EQ(value.data<int32_t>()[0], 0);  // 2^48, which wraps
}

TEST_F(FoldingTest, PartiallyKnownShapesAreEvaluatedOnce) {
  Output x = Scope(graph_).Placeholder("x", kInt32, {0});
  for (int level = 0; level < 40; ++level) x = Add("ConcatV2", {x, x, x, x, Tensor(int32_t{0})});
  const Output y = Add("Reshape", {Scope(graph_).Placeholder("y", kFloat), x});
  EXPECT_EQ(y.shape().rank(), 0);
}

TEST_F(FoldingTest, TheWorkPerQueryIsLimited) {
  Output x = Const(Tensor(kInt32, {4096}));
  Output first = Add("AddN", std::vector<Input>(30, x));
  EXPECT_FALSE(ConstantValue(first).empty());
  EXPECT_TRUE(ConstantValue(Add("AddN", std::vector<Input>(100, x))).empty());
}

// Such tensors have no elements, but a kernel may still loop over the other dimensions.
TEST_F(FoldingTest, HugeDimensionsNextToZeroAreNotFolded) {
  const Output x = Const(Tensor(kInt32, {kHugeDim, 0}));
  const Tensor zero = Tensor(int32_t{0});
  EXPECT_TRUE(ConstantValue(Add("MatrixBandPart", {x, Const(zero), Const(zero)})).empty());
  EXPECT_TRUE(ConstantValue(Add("Neg", {x})).empty());
  EXPECT_FALSE(ConstantValue(Add("Neg", {Const(Tensor(kInt32, {0, 7}))})).empty());
}

TEST_F(FoldingTest, KnownAndUnknownResultsAreCached) {
  const Output known = Add("AddN", std::vector<Input>(8, Const(Tensor(kInt32, {2000}))));
  const Output unknown = Add("AddN", {known, Scope(graph_).Placeholder("x", kInt32, {2000})});
  ConstantEvaluator constants(GraphDataOf(graph_));
  const auto ask = [&](const Output& x) {
    const int64_t before = constants.work_left();
    const bool found = !constants.ValueOf({x.op().id(), x.index()}).empty();
    return std::pair(found, before - constants.work_left());
  };
  EXPECT_EQ(ask(known).first, true);
  EXPECT_LT(ask(known).second, 100);
  EXPECT_EQ(ask(unknown).first, false);
  EXPECT_LT(ask(unknown).second, 100);
}

}  // namespace
}  // namespace ramet
