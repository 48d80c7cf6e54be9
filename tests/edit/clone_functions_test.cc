// Tests state in functions, and save nodes, of a clone with its own state.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;

// A graph with the variable "counter" and the function "Count", which increments it and returns its
// value. "Outer" calls "Count".
class CloneFunctionsTest : public ::testing::Test {
 protected:
  CloneFunctionsTest() {
    counter =
        s.GetVariable("counter", {}, {.initializer = ConstantInit(10.0), .use_resource = true});
    {
      auto body = NewFunctionGraph(g);
      Scope inside(*body);
      Output handle =
          AddOp(*body, "VarHandleOp", {},
                {{"dtype", kFloat}, {"shape", Shape()}, {"shared_name", "counter"}}, "handle")
              .output(0);
      Operation add = AddOp(*body, "AssignAddVariableOp", {handle, 1.0f}, {{"dtype", kFloat}});
      Scope after = inside.ControlDependencies({add});
      Output value =
          AddOp(*body, "ReadVariableOp", {handle}, {{"dtype", kFloat}}, "value").output(0);
      EXPECT_TRUE(body->status().ok()) << body->status().ToString();
      EXPECT_TRUE(DefineFunction(g, *body, {.name = "Count", .returns = {value}}).ok());
    }
    auto body = NewFunctionGraph(g);
    Output value = Call(*body, "Count", "inner");
    EXPECT_TRUE(DefineFunction(g, *body, {.name = "Outer", .returns = {value * 1.0f}}).ok());
    direct = Call(g, "Count", "direct");
    nested = Call(g, "Outer", "nested");
    named = AddOp(g, "Count", {}, {}, "named").output(0);
    EXPECT_TRUE(g.status().ok()) << g.status().ToString();
  }
  static Output Call(Graph& graph, const char* function, const char* name) {
    return AddOp(graph, "StatefulPartitionedCall", {},
                 {{"f", FunctionRef{function, std::make_shared<const AttrMap>()}},
                  {"Tin", std::vector<DType>{}},
                  {"Tout", std::vector<DType>{kFloat}}},
                 name)
        .output(0);
  }
  static float Run(Session& session, const Output& tensor) {
    auto run = session.Run(tensor);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return run.ok() ? run->scalar<float>() : -1;
  }
  static float ValueOf(Session& session, const Variable& v) {
    return session.Value(v).value().scalar<float>();
  }

  Graph g;
  Scope s{g};
  Variable counter;
  Output direct, nested, named;
};

TEST_F(CloneFunctionsTest, OwnStateInFunctionsIsTheClonesOwn) {
  Cloned c = Clone(g).value();
  EXPECT_THAT(FunctionNames(g), ElementsAre("Count", "Outer", "Count_copy", "Outer_copy"));
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(counter.initializer()).ok());
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_EQ(Run(session, c.Transformed(direct)), 11.0f);
  EXPECT_EQ(Run(session, c.Transformed(nested)), 12.0f);
  EXPECT_EQ(Run(session, c.Transformed(named)), 13.0f);
  EXPECT_EQ(ValueOf(session, c.Transformed(counter)), 13.0f);
  EXPECT_EQ(ValueOf(session, counter), 10.0f) << "the original changed";
  EXPECT_EQ(Run(session, nested), 11.0f);
  EXPECT_EQ(ValueOf(session, c.Transformed(counter)), 13.0f) << "the clone changed";
}

TEST_F(CloneFunctionsTest, OutputsCloneTheStateOfTheirFunctions) {
  Cloned c = Clone(g, {.outputs = {nested}, .dst_scope = "part"}).value();
  ASSERT_EQ(c.variables().size(), 1u);
  EXPECT_EQ(c.variables()[0].copy.op_name(), "part/counter");
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  EXPECT_EQ(Run(session, c.Transformed(nested)), 11.0f);
}

TEST_F(CloneFunctionsTest, SharedStateKeepsItsFunctions) {
  Cloned c = Clone(g, {.variables = CloneState::kShared}).value();
  EXPECT_EQ(FunctionNames(g).size(), 2u);
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run(counter.initializer()).ok());
  EXPECT_EQ(Run(session, c.Transformed(nested)), 11.0f);
  EXPECT_EQ(ValueOf(session, counter), 11.0f);
}

TEST_F(CloneFunctionsTest, ClonesOfClonesAndFilesHaveTheirOwn) {
  Graph other;
  Cloned first = Clone(g, {.into = &other, .dst_scope = "a"}).value();
  auto second = Clone(other, {.dst_scope = "b"});
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  Graph read;
  auto info = ImportMetaGraphBytes(read, ExportMetaGraph(other).value());
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  Session session = Session::Create(read).value();
  ASSERT_TRUE(session.Run("a/init").ok());
  ASSERT_TRUE(session.Run("b/init").ok());
  const std::string b = second->Transformed(first.Transformed(nested)).name();
  for (float wanted : {11.0f, 12.0f}) {
    EXPECT_EQ(session.Run(b).value().scalar<float>(), wanted);
  }
  EXPECT_EQ(session.Run("a/nested:0").value().scalar<float>(), 11.0f);
}

TEST_F(CloneFunctionsTest, HandlesWithoutANameAreNotShared) {
  Graph graph;
  Output handle =
      AddOp(graph, "VarHandleOp", {}, {{"dtype", kFloat}, {"shape", Shape()}}, "v").output(0);
  Operation assign =
      AddOp(graph, "AssignVariableOp", {handle, 1.0f}, {{"dtype", kFloat}}, "assign");
  Output read = AddOp(graph, "ReadVariableOp", {handle}, {{"dtype", kFloat}}, "read").output(0);
  Operation add = AddOp(graph, "AssignAddVariableOp", {handle, 5.0f}, {{"dtype", kFloat}}, "add");
  ASSERT_TRUE(graph.status().ok()) << graph.status().ToString();
  Cloned c = Clone(graph).value();
  Session session = Session::Create(graph).value();
  ASSERT_TRUE(session.Run({assign, c.init_op()}).ok());
  ASSERT_TRUE(session.Run(add).ok());
  EXPECT_EQ(Run(session, read), 6.0f);
  EXPECT_EQ(Run(session, c.Transformed(read)), 1.0f);
}

class CloneSavesTest : public ::testing::TestWithParam<bool> {
 protected:
  CloneSavesTest() {
    w = s.GetVariable("w", {}, {.initializer = ConstantInit(3.0), .use_resource = GetParam()});
    b = s.GetVariable("b", {}, {.initializer = ConstantInit(5.0), .use_resource = GetParam()});
  }
  std::vector<std::string> NamesIn(const std::string& prefix) {
    std::vector<std::string> names;
    auto reader = CheckpointReader::Open(prefix);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    if (!reader.ok()) return names;
    for (const CheckpointTensor& tensor : reader->List().value()) names.push_back(tensor.name);
    return names;
  }
  std::string SaveBy(Session& session, const std::string& scope) {
    const std::string prefix = folder / "model";
    auto save = session.Run({{StrCat(scope, "save/Const:0"), Tensor(prefix)}},
                            StrCat(scope, "save/control_dependency:0"));
    EXPECT_TRUE(save.ok()) << save.status().ToString();
    return prefix;
  }

  const ScratchDir folder;
  Graph g;
  Scope s{g};
  Variable w, b;
};

TEST_P(CloneSavesTest, CopiedSaversUseTheClonesNames) {
  Saver saver(g);
  Cloned c = Clone(g).value();
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run({w.initializer(), b.initializer(), c.init_op()}).ok());
  ASSERT_TRUE(session.Assign(c.Transformed(w), Tensor(7.0f)).ok());
  const std::string prefix = SaveBy(session, "copy/");
  EXPECT_THAT(NamesIn(prefix), ElementsAre("copy/b", "copy/w"));
  ASSERT_TRUE(session.Run(c.init_op()).ok());
  auto restore = session.Run({{"copy/save/Const:0", Tensor(prefix)}}, "copy/save/restore_all");
  ASSERT_TRUE(restore.ok()) << restore.status().ToString();
  EXPECT_EQ(session.Value(c.Transformed(w)).value().scalar<float>(), 7.0f);
  EXPECT_EQ(session.Value(w).value().scalar<float>(), 3.0f);
  Saver all(g, {.name = "all"});
  auto read = all.Save(session, folder / "all");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(NamesIn(*read), ElementsAre("b", "copy/b", "copy/w", "w"));
}

TEST_P(CloneSavesTest, MappedNamesGetTheScopeAndSharedVariablesKeepTheirs) {
  SaverOptions options;
  options.var_map = {{"weights", w}, {"b", b}};
  Saver saver(g, options);
  Cloned c = Clone(g, {.variables =
                           [&](const std::string& name) {
                             return name == "b" ? CloneState::kShared : CloneState::kOwn;
                           }})
                 .value();
  Session session = Session::Create(g).value();
  ASSERT_TRUE(session.Run({w.initializer(), b.initializer(), c.init_op()}).ok());
  EXPECT_THAT(NamesIn(SaveBy(session, "copy/")), ElementsAre("b", "copy/weights"));
}

INSTANTIATE_TEST_SUITE_P(Variables, CloneSavesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "resource" : "reference"; });

}  // namespace
}  // namespace ramet
