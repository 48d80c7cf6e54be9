// Tests variables made for existing initial values, node for node like TensorFlow 2.21.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_text.h"

namespace ramet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using Lines = std::vector<std::string>;

// "name op inputs... groups... @device" of each node.
Lines Text(const Graph& graph) {
  Lines lines;
  for (const Operation& op : graph.operations()) {
    Lines parts = {op.name(), op.type()};
    for (const Output& in : op.inputs()) parts.push_back(in.name());
    for (const std::string& g : op.attrs()->GetOr<Lines>("_class", {})) parts.push_back(g);
    if (!op.device().empty()) parts.push_back("@" + op.device());
    lines.push_back(StrJoin(parts, " "));
  }
  return lines;
}

Tensor One() { return Tensor::Vector<float>({1}); }

TEST(MakeVariableTest, ReferenceWithAllOptions) {
  Graph g;
  Scope s(g);
  Scope cpu = s.Device("/cpu:0");
  Scope late = cpu.ControlDependencies({AddOp(g, "NoOp", {})});
  Output initial;
  {
    Scope clear = late.ClearControlDependencies();
    initial = Constant(g, One(), "v/initial_value/");
  }
  Variable v = MakeVariable(g, "v", initial,
                            {.trainable = false,
                             .collections = std::vector<std::string>{"mine", "variables"},
                             .validate_shape = false,
                             .caching_device = "/cpu:1",
                             .container = "c",
                             .synchronization = 3,
                             .aggregation = 1,
                             .save_slice_info = SaveSliceInfo{"whole", {4}, {1}, {1}}});
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  EXPECT_THAT(Text(g),
              ElementsAre("NoOp NoOp @/device:CPU:0", "v/initial_value Const @/device:CPU:0",
                          "v VariableV2 @/device:CPU:0",
                          "v/Assign Assign v:0 v/initial_value:0 loc:@v @/device:CPU:0",
                          "v/read Identity v:0 @/device:CPU:1"));
  EXPECT_TRUE(v.initializer().control_inputs().empty());
  EXPECT_TRUE(v.shape().unknown_rank());
  EXPECT_FALSE(v.initializer().attr<bool>("validate_shape").value());
  EXPECT_EQ(v.ref().op().attr<std::string>("container").value(), "c");
  EXPECT_THAT(g.collections().Keys(), ElementsAre("mine", "variables"));
  EXPECT_EQ(v.record().synchronization, 3);
  EXPECT_EQ(v.record().aggregation, 1);
  EXPECT_EQ(v.record().save_slice_info->full_name, "whole");
}

TEST(MakeVariableTest, ResourceWithACache) {
  Graph g;
  Scope s(g);
  Output initial = Constant(g, One(), "initial");
  Variable v = MakeVariable(g, "v", initial,
                            {.use_resource = true, .shape = Shape{-1}, .caching_device = "/cpu:1"});
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  EXPECT_THAT(Text(g), ElementsAre("initial Const", "v VarHandleOp loc:@v",
                                   "v/IsInitialized/VarIsInitializedOp VarIsInitializedOp v:0",
                                   "v/Assign AssignVariableOp v:0 initial:0",
                                   "v/Read/ReadVariableOp ReadVariableOp v:0",
                                   "v/Read/Identity Identity v/Read/ReadVariableOp:0 "
                                   "@/device:CPU:1"));
  EXPECT_EQ(v.value().name(), "v/Read/Identity:0");
  EXPECT_EQ(v.shape(), (Shape{-1}));
}

// Variables are initialized in the order of their creation.
TEST(MakeVariableTest, ReadsOtherVariables) {
  Graph g;
  Scope s(g);
  Variable v = MakeVariable(g, "v", Constant(g, One(), "v/initial_value"), {});
  Variable w = MakeVariable(g, "w", v * 2.0f, {});
  Variable x = MakeVariable(g, "x", InitializedValue(w), {});
  Operation init = s.GlobalVariablesInitializer();
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  EXPECT_EQ(w.record().initial_value.name(), "mul:0");
  Session session = Session::Create(g).value();
  session.Run(init).value();
  EXPECT_EQ(session.Value(x).value().ToString(), Tensor::Vector<float>({2}).ToString());
}

TEST(MakeVariableTest, TakenNamesInItsScope) {
  Graph g;
  Scope s(g);
  AddOp(g, "NoOp", {}, {}, "v/read");
  Variable v = MakeVariable(g, "v", Constant(g, One(), "initial"), {});
  ASSERT_TRUE(v.valid());
  EXPECT_EQ(v.value().name(), "v/read_1:0");
  EXPECT_EQ(g.UniqueName("v/Read"), "v/Read_2");
}

}  // namespace
}  // namespace ramet
