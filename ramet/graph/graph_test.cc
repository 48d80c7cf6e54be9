#include "ramet/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "ramet/graph/device_name.h"
#include "ramet/graph/scope.h"
#include "ramet/op/testing/test_ops.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Initializer Zeros() {
  return [](Graph& g, const Shape& shape, DType dtype) {
    Tensor t(dtype, shape);
    return Constant(g, t, "zeros");
  };
}

std::vector<std::string> Names(const std::vector<Operation>& ops) {
  std::vector<std::string> names;
  for (const Operation& op : ops) names.push_back(op.name());
  return names;
}

// The names were produced with TensorFlow.
TEST(UniqueNameTest, MatchesTensorFlow) {
  Graph g;
  EXPECT_EQ(g.UniqueName("c"), "c");
  EXPECT_EQ(g.UniqueName("c"), "c_1");
  EXPECT_EQ(g.UniqueName("C"), "C_2");
  EXPECT_EQ(g.UniqueName("c_1"), "c_1_1");
  EXPECT_EQ(g.UniqueName("c"), "c_3");
  EXPECT_EQ(g.UniqueName("c_1"), "c_1_2");
  EXPECT_EQ(g.UniqueName("c", false), "c_4");
  EXPECT_EQ(g.UniqueName("c"), "c_4");
}

// Each name in use is skipped only once. Trying all of them again would take several times the
// limit.
TEST(UniqueNameTest, ManyNamesInUseAreSkippedQuickly) {
  constexpr int kNames = 10000;
  Graph g;
  const std::clock_t before = std::clock();
  for (int i = 0; i < kNames; ++i) {
    ASSERT_TRUE(g.AddNode({.op = "NoOp", .name = i == 0 ? "a" : StrCat("a_", i)}).ok());
  }
  for (int i = 0; i < kNames; ++i) EXPECT_EQ(g.UniqueName("a", false), StrCat("a_", kNames));
  for (int i = 0; i < kNames; ++i) EXPECT_EQ(g.UniqueName("a"), StrCat("a_", kNames + i));
  EXPECT_LT(std::clock() - before, 3 * CLOCKS_PER_SEC);
}

TEST(ScopeTest, NameScopesNestAndReopen) {
  Graph g;
  Scope s(g);
  {
    Scope a = s.NameScope("a");
    EXPECT_EQ(a.name(), "a/");
    EXPECT_EQ(a.Placeholder("p", kFloat).name(), "a/p:0");
    Scope b = a.NameScope("b");
    EXPECT_EQ(b.Placeholder("p", kFloat).name(), "a/b/p:0");
    Scope root = b.NameScope("");
    EXPECT_EQ(root.Placeholder("p", kFloat).name(), "p:0");
  }
  Scope a2 = s.NameScope("a");
  EXPECT_EQ(a2.name(), "a_1/");
  Scope again = a2.NameScope("a/");
  EXPECT_EQ(again.Placeholder("p", kFloat).name(), "a/p_1:0");
  EXPECT_TRUE(g.status().ok());
}

TEST(ScopeTest, OpNameWithTrailingSlashIsLiteral) {
  Graph g;
  Scope s(g);
  Scope x = s.NameScope("x");
  EXPECT_EQ(Constant(g, 1.0f, "z/").name(), "z:0");
}

TEST(VariableScopeTest, NamesAreIndependentOfNameScopes) {
  Graph g;
  Scope s(g);
  Scope ns = s.NameScope("ns");
  Scope d = ns.VariableScope("d");
  EXPECT_EQ(d.GetVariable("v", {2}, Zeros()).name(), "d/v:0");
  EXPECT_EQ(Constant(g, 1.0f, "o").name(), "ns/d/o:0");
  EXPECT_EQ(d.NewVariable(1.0f, "w").name(), "ns/d/w:0");
  EXPECT_TRUE(g.status().ok()) << g.status().ToString();
}

TEST(VariableScopeTest, ReuseFindsAndRefuses) {
  Graph g;
  Scope s(g);
  Variable v;
  {
    Scope a = s.VariableScope("a");
    v = a.GetVariable("v", {2}, Zeros());
  }
  {
    Scope a = s.VariableScope("a", {.reuse = Reuse::kYes});
    EXPECT_EQ(a.GetVariable("v", {2}, Zeros()), v);
    Scope inner = a.VariableScope("b", {.reuse = Reuse::kNo});
    EXPECT_FALSE(inner.GetVariable("nope", {1}, Zeros()).valid());
  }
  EXPECT_THAT(g.status().message(),
              HasSubstr("Variable a/b/nope does not exist, or was not created"));
}

TEST(VariableScopeTest, SameNameTwiceIsAnError) {
  Graph g;
  Scope s(g);
  Scope a = s.VariableScope("a");
  ASSERT_TRUE(a.GetVariable("v", {1}, Zeros()).valid());
  EXPECT_FALSE(a.GetVariable("v", {1}, Zeros()).valid());
  EXPECT_THAT(g.status().message(),
              HasSubstr("Variable a/v already exists, disallowed. Did you mean to set reuse=True"));
}

TEST(VariableScopeTest, SharedShapeMustMatch) {
  Graph g;
  Scope s(g);
  Scope a = s.VariableScope("a", {.reuse = Reuse::kAuto});
  ASSERT_TRUE(a.GetVariable("v", {1}, Zeros()).valid());
  EXPECT_TRUE(a.GetVariable("v", {1}, Zeros()).valid());
  EXPECT_FALSE(a.GetVariable("v", {2}, Zeros()).valid());
  EXPECT_THAT(
      g.status().message(),
      HasSubstr("Trying to share variable a/v, but specified shape [2] and found shape [1]."));
}

TEST(VariableTest, HasTensorFlowsNodesAndCollections) {
  Graph g;
  Scope s(g);
  Variable v = s.GetVariable("v", {2}, Zeros());
  EXPECT_THAT(Names(g.operations()), ElementsAre("v/Initializer/zeros", "v", "v/Assign", "v/read"));
  for (const Operation& op : g.operations()) {
    EXPECT_EQ(op.attr<std::vector<std::string>>("_class").value(),
              std::vector<std::string>{"loc:@v"});
  }
  EXPECT_EQ(v.ref().dtype(), RefType(kFloat));
  EXPECT_EQ(g.collections().Get<Variable>("variables").size(), 1u);
  EXPECT_EQ(g.collections().Get<Variable>("trainable_variables").size(), 1u);
  Operation init = s.GlobalVariablesInitializer();
  EXPECT_THAT(Names(init.control_inputs()), ElementsAre("v/Assign"));
}

TEST(ScopeTest, ControlDependenciesMatchTensorFlow) {
  Graph g;
  Scope s(g);
  Output a = Constant(g, 1.0f, "a");
  {
    Scope under = s.ControlDependencies({a.op()});
    Operation same = AddOp(g, "Identity", {a}, {}, "same");
    EXPECT_TRUE(same.control_inputs().empty());
    Output c = Constant(g, 2.0f, "c");
    EXPECT_THAT(Names(c.op().control_inputs()), ElementsAre("a"));
    Output b = Constant(g, 3.0f, "b");
    Scope nested = under.ControlDependencies({b.op()});
    Operation later = AddOp(g, "Identity", {c}, {}, "later");
    EXPECT_THAT(Names(later.control_inputs()), ElementsAre("b"));
    Scope none = nested.ClearControlDependencies();
    EXPECT_TRUE(Constant(g, 4.0f, "free").op().control_inputs().empty());
  }
  EXPECT_TRUE(Constant(g, 5.0f, "outside").op().control_inputs().empty());
}

TEST(ScopeTest, DevicesMerge) {
  Graph g;
  Scope s(g);
  Scope job = s.Device("/job:ps/task:1");
  Scope gpu = job.Device("/gpu:0");
  EXPECT_EQ(Constant(g, 1.0f, "a").op().device(), "/job:ps/task:1/device:GPU:0");
  Scope cpu = gpu.Device("/cpu:*");
  EXPECT_EQ(Constant(g, 1.0f, "b").op().device(), "/job:ps/task:1/device:CPU:0");
  Scope none = cpu.ClearDevice();
  EXPECT_EQ(Constant(g, 1.0f, "c").op().device(), "");
}

TEST(DeviceNameTest, RejectsMalformedNames) {
  EXPECT_EQ(DeviceName::Parse("/cpu:0")->ToString(), "/device:CPU:0");
  EXPECT_EQ(DeviceName::Parse("/gpu")->ToString(), "/device:GPU:*");
  EXPECT_THAT(
      DeviceName::Parse("/foo:1").status().message(),
      HasSubstr("Unknown attribute 'foo' is encountered while parsing the device spec: '/foo:1'"));
  EXPECT_THAT(DeviceName::Parse("/cpu:0/gpu:1").status().message(),
              HasSubstr("Multiple device types are not allowed"));
  EXPECT_FALSE(DeviceName::Parse("/cpu:-1").ok());
}

TEST(AddOpTest, ConstantsTakeTheOtherInputsDtype) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {-1, 2});
  Output y = x + 2;
  EXPECT_EQ(y.name(), "add:0");
  EXPECT_EQ(y.op().input(1).name(), "add/y:0");
  EXPECT_EQ(ConstantValue(y.op().input(1)).scalar<float>(), 2.0f);
  EXPECT_EQ(y.shape(), Shape({-1, 2}));
}

TEST(AddOpTest, ErrorsOfOperatorsNameNoLineOfTheLibrary) {
  Graph g;
  Scope s(g);
  const Output sum = s.Placeholder("x", kFloat, {2}) + s.Placeholder("y", kFloat, {3});
  EXPECT_FALSE(sum.valid());
  EXPECT_THAT(g.status().message(), StartsWith("node 'add' (AddV2): "));
}

TEST(AddOpTest, ErrorsNameNodeAndLineAndPersist) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {2});
  Output bad = AddOp(g, "AddV2", {x, s.Placeholder("y", kFloat, {3})}, {}, "sum").output(0);
  EXPECT_FALSE(bad.valid());
  EXPECT_THAT(g.status().message(), HasSubstr("graph_test.cc:"));
  EXPECT_THAT(g.status().message(), HasSubstr("node 'sum' (AddV2)"));
  std::string first = g.status().message();
  Output worse = bad + x;
  EXPECT_FALSE(worse.valid());
  EXPECT_EQ(g.status().message(), first);
}

TEST(GraphTest, RejectsInvalidNodes) {
  Graph g;
  Output x = Constant(g, 1.0f, "x");
  Output i = Constant(g, int32_t{1}, "i");
  auto add = [&](NodeSpec spec) { return g.AddNode(std::move(spec)).status().message(); };
  EXPECT_THAT(add({.op = "Identity", .name = "x", .inputs = {x}}),
              HasSubstr("Node 'x' is not unique"));
  EXPECT_THAT(add({.op = "Identity", .name = "_b", .inputs = {x}}),
              HasSubstr("not a valid node name"));
  EXPECT_THAT(add({.op = "Identitty", .name = "b", .inputs = {x}}),
              HasSubstr("Op type not registered 'Identitty'; did you mean 'Identity'?"));
  EXPECT_THAT(
      add({.op = "AddV2", .name = "b", .inputs = {x, i}}),
      HasSubstr("Input 1 of node b was passed int32 from i:0 incompatible with expected float."));
  EXPECT_THAT(add({.op = "AddV2", .name = "b", .inputs = {x}}),
              HasSubstr("expected 2 inputs but has 1"));
  EXPECT_THAT(add({.op = "Identity", .name = "b", .inputs = {Output(x.op(), 7)}}),
              HasSubstr("Connecting to invalid output 7 of source node x which has 1 outputs."));
  g.Finalize();
  EXPECT_THAT(add({.op = "NoOp", .name = "n"}),
              HasSubstr("Graph is finalized and cannot be modified."));
}

TEST(GraphTest, LookupErrorsAreTensorFlows) {
  Graph g;
  Constant(g, 1.0f, "a");
  EXPECT_EQ(g.Tensor("a:0").value().name(), "a:0");
  EXPECT_THAT(g.FindOperation("zz").status().message(),
              HasSubstr("The name 'zz' refers to an Operation not in the graph."));
  EXPECT_THAT(g.Tensor("a:1").status().message(),
              HasSubstr("The operation, 'a', exists but only has 1 outputs."));
  EXPECT_THAT(g.Tensor("a").status().message(), HasSubstr("refers to an Operation, not a Tensor"));
  EXPECT_THAT(g.Tensor("a:x").status().message(), HasSubstr("looks a like a Tensor name"));
  EXPECT_THAT(g.Tensor("zz:0").status().message(), HasSubstr("does not exist in the graph"));
  EXPECT_THAT(g.FindOperation("a:0").status().message(), HasSubstr("appears to refer to a Tensor"));
}

TEST(GraphTest, SeedsMatchTensorFlow) {
  Graph g;
  int64_t seven = 7, minus = -1;
  EXPECT_EQ(g.SeedsForOp(nullptr), std::make_pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(g.SeedsForOp(&seven), std::make_pair(int64_t{87654321}, int64_t{7}));
  g.SetSeed(5);
  EXPECT_EQ(g.SeedsForOp(&minus), std::make_pair(int64_t{5}, int64_t{2147483646}));
  EXPECT_EQ(g.SeedsForOp(nullptr), std::make_pair(int64_t{5}, int64_t{0}));
  EXPECT_EQ(g.SeedsForOp(nullptr), std::make_pair(int64_t{5}, int64_t{1}));
}

TEST(GraphTest, ALongChainIsLinear) {
  Graph g;
  Output x = Constant(g, 1.0f, "x");
  for (int i = 0; i < 20000; ++i) x = AddOp(g, "Identity", {x}).output(0);
  EXPECT_EQ(x.name(), "Identity_19999:0");
  EXPECT_EQ(g.num_operations(), 20001);
}

}  // namespace
}  // namespace ramet
