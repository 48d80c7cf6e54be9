#include "ramet/edit/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/edit/copy_operation.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/op/testing/test_ops.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a and b are placeholders; sum = a + b, twice = sum + sum.
class GraphPatchTest : public ::testing::Test {
 protected:
  GraphPatchTest() {
    Scope root(graph_);
    a_ = root.Placeholder("a", DType::kFloat, {2});
    b_ = root.Placeholder("b", DType::kFloat, {2});
    number_ = root.Placeholder("number", DType::kInt32, {2});
    long_ = root.Placeholder("long", DType::kFloat, {3});
    sum_ = Add("sum", a_, b_);
    twice_ = Add("twice", sum_, sum_);
    before_ = Bytes();
    version_ = graph_.edit_version();
  }

  Output Add(const std::string& name, Output x, Output y) {
    return graph_.AddNode({.op = "AddV2", .name = name, .inputs = {x, y}}).value().output(0);
  }
  std::string Bytes() { return ExportGraphDef(graph_, {}).value(); }

  void ExpectRefused(GraphPatch& patch, const std::string& message) {
    EXPECT_THAT(patch.Check().message(), HasSubstr(message));
    EXPECT_THAT(patch.Apply().message(), HasSubstr(message));
    EXPECT_EQ(Bytes(), before_);
    EXPECT_EQ(graph_.edit_version(), version_);
  }

  Graph graph_;
  Output a_, b_, number_, long_, sum_, twice_;
  std::string before_;
  int64_t version_ = 0;
};

TEST_F(GraphPatchTest, SetsInputs) {
  GraphPatch patch(graph_);
  patch.SetInput(twice_.op(), 1, a_);
  patch.SetInput(sum_.op(), 0, b_);
  EXPECT_EQ(patch.InputOf(twice_.op(), 1), a_);
  EXPECT_EQ(patch.InputOf(twice_.op(), 0), sum_);
  EXPECT_EQ(twice_.op().input(1), sum_);
  ASSERT_TRUE(patch.Apply().ok());
  EXPECT_THAT(twice_.op().inputs(), ElementsAre(sum_, a_));
  EXPECT_THAT(sum_.op().inputs(), ElementsAre(b_, b_));
  EXPECT_EQ(graph_.edit_version(), version_ + 1);
}

TEST_F(GraphPatchTest, ChangesControlInputs) {
  GraphPatch patch(graph_);
  patch.AddControlInput(twice_.op(), a_.op());
  patch.AddControlInput(twice_.op(), b_.op());
  patch.AddControlInput(twice_.op(), a_.op());
  ASSERT_TRUE(patch.Apply().ok());
  EXPECT_THAT(twice_.op().control_inputs(), ElementsAre(a_.op(), b_.op()));
  EXPECT_THAT(twice_.op().inputs(), ElementsAre(sum_, sum_));

  GraphPatch back(graph_);
  back.RemoveControlInput(twice_.op(), a_.op());
  ASSERT_TRUE(back.Apply().ok());
  EXPECT_THAT(twice_.op().control_inputs(), ElementsAre(b_.op()));
  back = GraphPatch(graph_);
  back.RemoveControlInput(twice_.op(), b_.op());
  ASSERT_TRUE(back.Apply().ok());
  EXPECT_EQ(Bytes(), before_);
}

TEST_F(GraphPatchTest, RejectsDifferentTypesAndShapes) {
  GraphPatch patch(graph_);
  patch.SetInput(sum_.op(), 0, b_);
  patch.SetInput(twice_.op(), 0, number_);
  ExpectRefused(patch, "input 0 of node 'twice' is float; 'number:0' is int32");
  patch.SetInput(twice_.op(), 0, long_);
  ExpectRefused(patch, "input 0 of node 'twice' has shape [2]; 'long:0' has shape [3]");
}

TEST_F(GraphPatchTest, RejectsMissingElements) {
  GraphPatch input(graph_);
  input.SetInput(sum_.op(), 2, b_);
  ExpectRefused(input, "node 'sum' has 2 inputs, so there is no input 2");
  GraphPatch output(graph_);
  output.SetInput(sum_.op(), 1, Output(a_.op(), 1));
  ExpectRefused(output, "node 'a' has 1 outputs, so there is no output 1");
  GraphPatch control(graph_);
  control.AddControlInput(sum_.op(), a_.op());
  control.RemoveControlInput(sum_.op(), b_.op());
  ExpectRefused(control, "'b' is not a control input of 'sum'");
}

TEST_F(GraphPatchTest, RejectsDifferentGraphs) {
  Graph other;
  const Output stranger = Scope(other).Placeholder("x", DType::kFloat, {2});
  GraphPatch input(graph_);
  input.SetInput(sum_.op(), 0, stranger);
  ExpectRefused(input, "the input 'x' of a patch belongs to a different graph");
  GraphPatch node(graph_);
  node.SetInput(stranger.op(), 0, a_);
  ExpectRefused(node, "the node 'x' of a patch belongs to a different graph");
  GraphPatch invalid(graph_);
  invalid.AddControlInput(sum_.op(), Operation());
  ExpectRefused(invalid, "invalid handle");
}

TEST_F(GraphPatchTest, RejectsCyclesUnlessAllowed) {
  GraphPatch patch(graph_);
  patch.SetInput(sum_.op(), 0, twice_);
  ExpectRefused(patch, "'twice' cannot be input 0 of node 'sum'");
  GraphPatch control(graph_);
  control.AddControlInput(sum_.op(), twice_.op());
  ExpectRefused(control, "'twice' cannot be a control input of node 'sum'");
  ASSERT_TRUE(patch.Apply({.check_cycles = false}).ok());
  EXPECT_EQ(sum_.op().input(0), twice_);
}

// The combined effect of two changes counts. A cycle that existed before does not.
TEST_F(GraphPatchTest, ChecksThePatchAsAWhole) {
  const Output last = Add("last", twice_, a_);
  GraphPatch swap(graph_);
  swap.SetInput(sum_.op(), 0, twice_);
  swap.SetInput(twice_.op(), 0, a_);
  swap.SetInput(twice_.op(), 1, b_);
  EXPECT_TRUE(swap.Apply().ok());
  GraphPatch cycle(graph_);
  cycle.SetInput(twice_.op(), 0, sum_);
  EXPECT_FALSE(cycle.Check().ok());
  ASSERT_TRUE(cycle.Apply({.check_cycles = false}).ok());
  GraphPatch beyond(graph_);
  beyond.SetInput(last.op(), 1, sum_);
  EXPECT_TRUE(beyond.Apply().ok());
  GraphPatch mend(graph_);
  mend.SetInput(sum_.op(), 0, a_);
  EXPECT_TRUE(mend.Apply().ok());
}

TEST_F(GraphPatchTest, RejectsFinalizedGraphs) {
  graph_.Finalize();
  GraphPatch patch(graph_);
  patch.SetInput(sum_.op(), 0, b_);
  EXPECT_TRUE(IsFailedPrecondition(patch.Apply()));
  EXPECT_EQ(Bytes(), before_);
}

TEST_F(GraphPatchTest, CopiesOperations) {
  ASSERT_TRUE(graph_.SetDevice(sum_.op(), "/device:CPU:0").ok());
  Scope inner = Scope(graph_).NameScope("inner");
  auto copy = CopyOperation(sum_.op(), graph_, {.inputs = {b_, b_}, .control_inputs = {a_.op()}});
  ASSERT_TRUE(copy.ok()) << copy.status().message();
  EXPECT_EQ(copy->name(), "sum_1");
  EXPECT_EQ(copy->device(), "/device:CPU:0");
  EXPECT_THAT(copy->inputs(), ElementsAre(b_, b_));
  EXPECT_THAT(copy->control_inputs(), ElementsAre(a_.op()));

  Graph other;
  const Output x = Scope(other).Placeholder("x", DType::kFloat);
  auto there = CopyOperation(sum_.op(), other, {.name = "to/sum", .inputs = {x, x}, .device = ""});
  ASSERT_TRUE(there.ok()) << there.status().message();
  EXPECT_EQ(there->name(), "to/sum");
  EXPECT_EQ(there->device(), "");
  EXPECT_TRUE(there->output(0).shape().unknown_rank());
  EXPECT_FALSE(CopyOperation(sum_.op(), other, {.inputs = {x}}).ok());
}

}  // namespace
}  // namespace ramet
