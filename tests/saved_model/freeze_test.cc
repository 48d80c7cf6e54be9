// Tests of freezing. tests/oracle/freeze_test.py compares the results with TensorFlow's, node for
// node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ramet/ramet.h>

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesIn(const std::string& graph_def) {
  Graph graph;
  std::vector<std::string> names;
  auto results = ImportGraphDef(graph, graph_def, {.name = ""});
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  for (const Operation& op : graph.operations()) names.push_back(op.name());
  return names;
}

struct Trained {
  Trained() : scope(graph) {
    x = scope.Placeholder("x", kFloat, Shape());
    a = scope.NewVariable(Tensor(3.0f), "a");
    b = scope.NewVariable(Tensor(4.0f), "b");
    y = AddOp(graph, "Identity", {x * a + b}, {}, "y").output(0);
    session.emplace(Session::Create(graph).value());
    EXPECT_TRUE(session->InitializeMissing().ok());
  }

  Graph graph;
  Scope scope;
  Output x, y;
  Variable a, b;
  std::optional<Session> session;
};

TEST(FreezeTest, ComputesTheSameWithoutVariables) {
  Trained model;
  auto frozen = ConvertVariablesToConstants(*model.session, {"y"});
  ASSERT_TRUE(frozen.ok()) << frozen.status().ToString();
  EXPECT_THAT(NamesIn(*frozen), ElementsAre("x", "a", "a/read", "b", "b/read", "mul", "add", "y"));
  Graph graph;
  ASSERT_TRUE(ImportGraphDef(graph, *frozen, {.name = ""}).ok());
  EXPECT_EQ(graph.FindOperation("a")->type(), "Const");
  Session session = Session::Create(graph).value();
  EXPECT_EQ(session.Run({{"x:0", Tensor(2.0f)}}, "y:0").value().scalar<float>(), 10);
}

TEST(FreezeTest, AllowAndDeny) {
  Trained model;
  auto type_of_b = [&](const ConvertVariablesOptions& options) {
    Graph graph;
    auto frozen = ConvertVariablesToConstants(*model.session, {"y"}, options);
    EXPECT_TRUE(ImportGraphDef(graph, frozen.value(), {.name = ""}).ok());
    return graph.FindOperation("b")->type();
  };
  EXPECT_EQ(type_of_b({.deny = {"b"}}), "VariableV2");
  EXPECT_EQ(type_of_b({.allow = std::vector<std::string>{"a"}}), "VariableV2");
  EXPECT_EQ(type_of_b({.allow = std::vector<std::string>{"b"}, .deny = {"a"}}), "Const");
}

TEST(FreezeTest, SaysWhatIsMissing) {
  Trained model;
  EXPECT_EQ(ConvertVariablesToConstants(*model.session, {"zz"}).status().message(),
            "zz is not in graph");
  model.scope.NewVariable(Tensor(1.0f), "late");
  auto frozen = ConvertVariablesToConstants(*model.session, {"late/read"});
  EXPECT_EQ(frozen.status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(frozen.status().message(), HasSubstr("late"));
}

TEST(FreezeTest, ReplacesOnlyVariables) {
  Trained model;
  const std::string def = ExportGraphDef(model.graph).value();
  EXPECT_EQ(ReplaceVariables(def, {{"x", Tensor(1.0f)}}).status().message(),
            "'x' is not a variable of the graph");
  EXPECT_EQ(ReplaceVariables("\x01garbage", {}).status().code(), Code::kDataLoss);
}

// The function gets the value instead of the handle.
TEST(FreezeTest, AHandleIsFollowedIntoAFunction) {
  const std::string def =
      "node { name: 'v' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } }"
      "       attr { key: 'shape' value { shape { } } } }"
      "node { name: 'call' op: 'PartitionedCall' input: 'v'"
      "       attr { key: 'f' value { func { name: 'F' } } }"
      "       attr { key: 'Tin' value { list { type: DT_RESOURCE } } }"
      "       attr { key: 'Tout' value { list { type: DT_FLOAT } } } }"
      "library { function { signature { name: 'F' input_arg { name: 'h' type: DT_RESOURCE }"
      "                                 output_arg { name: 'y' type: DT_FLOAT } }"
      "  node_def { name: 'r' op: 'ReadVariableOp' input: 'h'"
      "             attr { key: 'dtype' value { type: DT_FLOAT } } }"
      "  ret { key: 'y' value: 'r:value:0' } } }";
  auto frozen = ReplaceVariables(def, {{"v", Tensor(1.5f)}});
  ASSERT_TRUE(frozen.ok()) << frozen.status().ToString();
  Graph graph;
  ASSERT_TRUE(ImportGraphDef(graph, *frozen, {.name = ""}).ok());
  EXPECT_EQ(graph.FindOperation("v")->type(), "Const");
  Session session = Session::Create(graph).value();
  EXPECT_EQ(session.Run("call:0").value().scalar<float>(), 1.5f);
}

TEST(FreezeTest, ACycleOfIdentitiesIsAnError) {
  const std::string def =
      "node { name: 'a' op: 'Identity' input: 'b' } node { name: 'b' op: 'Identity' input: 'a' }"
      "node { name: 'c' op: 'Neg' input: 'a' } node { name: 'd' op: 'Identity' }"
      "node { name: 'e' op: 'Neg' input: 'd' }";
  EXPECT_EQ(RemoveTrainingNodes(def).status().code(), Code::kInvalidArgument);
  EXPECT_THAT(ExtractSubGraph(def, {"e"}).status(), ::testing::Property(&Status::ok, true));
  EXPECT_THAT(RemoveTrainingNodes(ExtractSubGraph(def, {"e"}).value()).status().message(),
              HasSubstr("'d' (Identity) has no input"));
}

TEST(FreezeTest, AReaderOfACheckKeepsItsInput) {
  const std::string def =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"
      "node { name: 'check' op: 'CheckNumerics' input: 'x' "
      "       attr { key: 'T' value { type: DT_FLOAT } }"
      "       attr { key: 'message' value { s: 'bad' } } }"
      "node { name: 'y' op: 'Neg' input: 'check' attr { key: 'T' value { type: DT_FLOAT } } }"
      "versions { producer: 1234 }";
  const auto inputs_of_y = [&](bool as_tensorflow) -> std::vector<std::string> {
    Graph graph;
    const auto imported =
        ImportGraphDef(graph, RemoveTrainingNodes(def, {}, as_tensorflow).value(), {.name = ""});
    if (!imported.ok()) return {};
    EXPECT_FALSE(graph.HasOperation("check"));
    EXPECT_EQ(graph.versions().producer, 1234);
    return {graph.FindOperation("y").value().input(0).name()};
  };
  EXPECT_THAT(inputs_of_y(true), ::testing::IsEmpty());
  EXPECT_THAT(inputs_of_y(false), ::testing::ElementsAre("x:0"));
}

}  // namespace
}  // namespace ramet
