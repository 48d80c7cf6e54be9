// Tests initial values that read other variables, node for node like TensorFlow 2.21.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/graph/initialized_value.h"
#include "ramet/graph/make_variable.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/test_ops.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

Status UnknownShapes(ShapeContext&) { return OkStatus(); }

RAMET_OP("IsVariableInitialized")
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .Shape(UnknownShapes);
RAMET_OP("Switch")
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .Shape(UnknownShapes);
RAMET_OP("RefSwitch")
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .Attr("T: type")
    .Shape(UnknownShapes);
RAMET_OP("Merge")
    .Input("inputs: N * T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Shape(UnknownShapes);

// "name op inputs... groups... @device" of each node from the first on.
Lines Text(const Graph& graph, int first) {
  Lines lines;
  for (int i = first; i < graph.num_operations(); ++i) {
    const Operation op = graph.operation(i);
    Lines parts = {op.name(), op.type()};
    for (const Output& in : op.inputs()) parts.push_back(in.name());
    for (const std::string& g : op.attrs()->GetOr<Lines>("_class", {})) parts.push_back(g);
    if (!op.device().empty()) parts.push_back("@" + op.device());
    lines.push_back(StrJoin(parts, " "));
  }
  return lines;
}

class InitialValueTest : public ::testing::Test {
 protected:
  Variable Make(const std::string& name, const Output& value, VariableOptions options = {}) {
    return MakeVariable(graph_, name, value, options);
  }
  Output One(const char* name) { return Constant(graph_, Tensor::Vector<float>({1}), name); }

  Graph graph_;
};

TEST_F(InitialValueTest, OfAnotherVariable) {
  Scope s(graph_);
  Variable v = Make("v", One("one"));
  Output sum = AddOp(graph_, "AddV2", {v, v}, {}, "add").output(0);
  const int before = graph_.num_operations();
  Scope cpu = s.Device("/cpu:1");
  Variable w = Make("w", sum);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  EXPECT_THAT(
      Text(graph_, before),
      ElementsAre(
          "w VariableV2 @/device:CPU:1", "w/IsVariableInitialized IsVariableInitialized v:0 loc:@v",
          "w/cond/Switch Switch w/IsVariableInitialized:0 w/IsVariableInitialized:0 @/device:CPU:1",
          "w/cond/switch_t Identity w/cond/Switch:1 @/device:CPU:1",
          "w/cond/switch_f Identity w/cond/Switch:0 @/device:CPU:1",
          "w/cond/pred_id Identity w/IsVariableInitialized:0 @/device:CPU:1",
          "w/cond/read/Switch RefSwitch v:0 w/cond/pred_id:0 loc:@v",
          "w/cond/read Identity w/cond/read/Switch:1 @/device:CPU:1",
          "w/cond/Switch_1 Switch one:0 w/cond/pred_id:0 loc:@one",
          "w/cond/Merge Merge w/cond/Switch_1:0 w/cond/read:0 @/device:CPU:1",
          "v/read_w Identity w/cond/Merge:0 loc:@v @/device:CPU:1",
          "add_w AddV2 v/read_w:0 v/read_w:0 @/device:CPU:1",
          "w/Assign Assign w:0 add_w:0 loc:@w @/device:CPU:1",
          "w/read Identity w:0 loc:@w @/device:CPU:1"));
  EXPECT_EQ(w.record().initial_value.name(), "add:0");
}

TEST_F(InitialValueTest, OfAnInitializedValue) {
  Variable v = Make("v", One("one"));
  const int before = graph_.num_operations();
  Make("w", InitializedValue(v));
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  const Lines text = Text(graph_, before);
  EXPECT_THAT(
      Lines(text.end() - 6, text.end()),
      ElementsAre("w/cond/Merge Merge w/cond/Switch_1:0 w/cond/read:0",
                  "cond/read/Switch_w Switch w/cond/Merge:0 cond/pred_id:0 loc:@v",
                  "cond/read_w Identity cond/read/Switch_w:1",
                  "cond/Merge_w Merge cond/Switch_1:0 cond/read_w:0",
                  "w/Assign Assign w:0 cond/Merge_w:0 loc:@w", "w/read Identity w:0 loc:@w"));
}

// There is nothing to replace, since the variable is in no collection that provides its initial
// value.
TEST_F(InitialValueTest, OfAVariableInNoCollection) {
  Variable v = Make("v", One("one"), {.collections = Lines{}});
  Variable w = Make("w", AddOp(graph_, "AddV2", {v, v}, {}, "add").output(0));
  EXPECT_EQ(w.initializer().input(1).name(), "add:0");
}

TEST_F(InitialValueTest, InALoop) {
  Variable v = Make("v", One("one"));
  Operation add = AddOp(graph_, "AddV2", {v, v}, {}, "add");
  Operation again = AddOp(graph_, "AddV2", {add.output(0), v}, {}, "again");
  ASSERT_TRUE(graph_.UpdateInput(add, 1, again.output(0)).ok());
  EXPECT_EQ(GuardedInitialValue(graph_, again.output(0), "w"), again.output(0));
}

TEST_F(InitialValueTest, OfAVeryLongComputation) {
  Output value = Make("v", One("one"));
  for (int i = 0; i < 50000; ++i) value = AddOp(graph_, "Identity", {value}).output(0);
  const int before = graph_.num_operations();
  Make("w", value);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  EXPECT_GT(graph_.num_operations(), before + 50000);
}

}  // namespace
}  // namespace ramet
