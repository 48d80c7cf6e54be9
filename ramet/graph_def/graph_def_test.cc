#include "ramet/graph_def/graph_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Node;
using testing::Placeholder;

GraphDef Export(const Graph& g, const GraphDefOptions& options = {}) {
  auto bytes = ExportGraphDef(g, options);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  GraphDef def;
  EXPECT_TRUE(def.ParseFromString(bytes.value_or("")));
  EXPECT_EQ(CanonicalBytes(def), bytes.value_or("")) << "the bytes equal protobuf's";
  return def;
}

TEST(ExportGraphDefTest, WritesNodesInTheOrderOfCreation) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {-1, 2});
  Output one = Constant(g, Tensor(1.f), "one");
  Scope after = s.ControlDependencies({one.op()});
  AddOp(g, "AddV2", {x, x}, {}, "y");
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  GraphDef def = Export(g);
  ASSERT_EQ(def.node_size(), 3);
  EXPECT_EQ(def.node(0).name(), "x");
  EXPECT_EQ(def.node(0).op(), "Placeholder");
  EXPECT_EQ(def.node(1).attr().at("value").tensor().float_val(0), 1.f);
  EXPECT_THAT(def.node(2).input(), ElementsAre("x", "x", "^one"));
  EXPECT_EQ(def.node(2).attr().at("T").type(), DT_FLOAT);
  EXPECT_EQ(def.versions().producer(), 2474);
}

TEST(ExportGraphDefTest, NamesOutputsOtherThanTheFirst) {
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g,
                             Placeholder("a") + Node("e", "Exotic", {"a"}) +
                                 Node("f", "Exotic", {"e:1", "e:0"}),
                             {.name = ""})
                  .ok());
  EXPECT_THAT(Export(g).node(2).input(), ElementsAre("e:1", "e"));
}

TEST(ExportGraphDefTest, AddsShapesToNodesThatHaveOutputs) {
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, Placeholder("a") + Node("n", "NoOp", {}), {.name = ""}).ok());
  GraphDef def = Export(g, {.add_shapes = true});
  const auto& shapes = def.node(0).attr().at("_output_shapes").list();
  ASSERT_EQ(shapes.shape_size(), 1);
  EXPECT_EQ(shapes.shape(0).dim(1).size(), 3);
  EXPECT_FALSE(def.node(1).attr().contains("_output_shapes"));
}

TEST(ExportGraphDefTest, WritesShapesOfEveryKind) {
  Graph g;
  auto placeholder = [](const std::string& name, const std::string& shape) {
    return "node { name: '" + name +
           "' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"
           " attr { key: 'shape' value { shape { " +
           shape + " } } } }";
  };
  const std::string nodes = placeholder("empty", "dim { size: 0 } dim { size: -1 }") +
                            placeholder("scalar", "") + placeholder("any", "unknown_rank: true") +
                            " versions { producer: 1000 }";
  ASSERT_TRUE(ImportGraphDef(g, nodes).ok());
  const GraphDef def = Export(g, {.add_shapes = true});
  for (const NodeDef& node : def.node()) {
    const auto& shapes = node.attr().at("_output_shapes").list().shape();
    ASSERT_EQ(shapes.size(), 1);
    EXPECT_EQ(CanonicalBytes(shapes[0]), CanonicalBytes(node.attr().at("shape").shape()))
        << node.name();
  }
}

TEST(ExportGraphDefTest, StripsAttrsThatHoldTheirDefault) {
  Graph g;
  const std::string more =
      "attr { key: 'shape' value { shape { } } } attr { key: 'container' value { s: '%' } }"
      "attr { key: '_mine' value { s: '' } }";
  ASSERT_TRUE(
      ImportGraphDef(g,
                     Node("v", "VariableV2", {}, "dtype", more) +
                         "library { function { signature { name: 'F' } node_def { name: 'w' "
                         "op: 'VariableV2' attr { key: 'container' value { s: '' } }"
                         "attr { key: 'shared_name' value { s: 'k' } } } } }",
                     {.name = ""})
          .ok());
  GraphDef full = Export(g), stripped = Export(g, {.strip_default_attrs = true});
  EXPECT_TRUE(full.node(0).attr().contains("shared_name"));
  EXPECT_FALSE(stripped.node(0).attr().contains("shared_name"));
  EXPECT_TRUE(stripped.node(0).attr().contains("container"));
  EXPECT_TRUE(stripped.node(0).attr().contains("_mine"));
  EXPECT_EQ(full.library().function(0).node_def(0).attr_size(), 2);
  EXPECT_EQ(stripped.library().function(0).node_def(0).attr_size(), 1);
}

TEST(ExportGraphDefTest, ClearsDevices) {
  Graph g;
  ASSERT_TRUE(
      ImportGraphDef(g, "node { name: 'a' op: 'NoOp' device: '/cpu:0' }", {.name = ""}).ok());
  EXPECT_EQ(Export(g).node(0).device(), "/device:CPU:0");
  EXPECT_EQ(Export(g, {.clear_devices = true}).node(0).device(), "");
}

TEST(ExportGraphDefTest, KeepsLibraryDebugInfoAndUnknownFields) {
  GraphDef def;
  def.mutable_library()->add_function()->mutable_signature()->set_name("F");
  def.mutable_debug_info()->add_files("model.py");
  def.GetReflection()->MutableUnknownFields(&def)->AddLengthDelimited(77, "later");
  def.mutable_versions()->set_producer(1234);
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, def.SerializeAsString(), {.name = ""}).ok());
  GraphDef written = Export(g);
  EXPECT_EQ(written.library().function(0).signature().name(), "F");
  EXPECT_EQ(written.debug_info().files(0), "model.py");
  ASSERT_EQ(written.GetReflection()->GetUnknownFields(written).field_count(), 1);
  EXPECT_EQ(written.versions().producer(), 1234);
}

TEST(ExportGraphDefTest, TheSameGraphGivesTheSameBytes) {
  std::string first;
  for (int i = 0; i < 5; ++i) {
    Graph g;
    ASSERT_TRUE(
        ImportGraphDef(g, Placeholder("a", "attr { key: '_x' value { i: 1 } }"), {.name = ""})
            .ok());
    if (i == 0) first = ExportGraphDef(g).value();
    EXPECT_EQ(ExportGraphDef(g).value(), first);
  }
}

TEST(ExportGraphDefTest, TextFormReadsBack) {
  ScratchDir dir;
  Graph g, copy;
  ASSERT_TRUE(
      ImportGraphDef(g, Placeholder("a") + Node("b", "Identity", {"a"}, "T"), {.name = ""}).ok());
  ASSERT_TRUE(ExportGraphDefFile(g, dir / "g.pbtxt", {.as_text = true}).ok());
  EXPECT_THAT(ReadFile(dir / "g.pbtxt").value(), HasSubstr("op: \"Identity\""));
  ASSERT_TRUE(ImportGraphDefFile(copy, dir / "g.pbtxt", {.name = ""}).ok());
  EXPECT_EQ(ExportGraphDef(copy).value(), ExportGraphDef(g).value());
}

}  // namespace
}  // namespace ramet
