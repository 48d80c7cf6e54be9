#include "ramet/graph_def/import.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "ramet/base/file.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/op/testing/test_ops.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/op_def.pb.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Names;
using testing::Node;
using testing::Placeholder;
using ::testing::StartsWith;

StatusOr<ImportResults> Import(Graph& g, const std::string& text,
                               ImportOptions options = {.name = ""}) {
  return ImportGraphDef(g, text, options);
}

// Imports a graph and expects success.
ImportResults MustImport(Graph& g, const std::string& text, ImportOptions options = {.name = ""}) {
  auto results = Import(g, text, options);
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  return results.ok() ? *std::move(results) : ImportResults();
}

GraphDef GraphDefOf(const std::string& text) {
  GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def));
  return def;
}

const std::string kTwo = Placeholder("a") + Node("b", "Identity", {"a"}, "T");

TEST(ImportTest, JoinsNodesAndInfersShapes) {
  Graph g;
  MustImport(g, Node("c", "AddV2", {"a", "b:0", "^b"}, "T") + kTwo);
  Operation c = g.FindOperation("c").value();
  EXPECT_EQ(c.input(0).name(), "a:0");
  EXPECT_EQ(c.input(1).name(), "b:0");
  EXPECT_THAT(Names(c.control_inputs()), ElementsAre("b"));
  EXPECT_EQ(c.output(0).shape(), (Shape{2, 3}));
  EXPECT_EQ(c.output(0).dtype(), kFloat);
}

class EndsCalls final : public RunInterrupt {
 public:
  EndsCalls() : RunInterrupt(false) {}

 private:
  bool Due() override { return true; }
};

TEST(ImportTest, AnInterruptLeavesTheGraphUnchanged) {
  Graph g;
  {
    EndsCalls interrupt;
    RunInterrupt::Request();
    EXPECT_TRUE(IsCancelled(Import(g, kTwo).status()));
  }
  EXPECT_EQ(g.num_operations(), 0);
  MustImport(g, kTwo);
}

// The file's order is kept except that inputs precede their users.
TEST(ImportTest, CreatesNodesInTensorFlowsOrder) {
  Graph g;
  auto results =
      MustImport(g, Node("z", "Identity", {"a"}, "T") + Placeholder("y") + kTwo + Placeholder("x"));
  EXPECT_THAT(Names(results.operations), ElementsAre("y", "a", "z", "b", "x"));
}

TEST(ImportTest, PutsNamesUnderAUniquePrefix) {
  Graph g;
  EXPECT_EQ(MustImport(g, kTwo, {}).prefix, "import");
  EXPECT_EQ(MustImport(g, kTwo, {}).prefix, "import_1");
  EXPECT_EQ(MustImport(g, kTwo, {.name = "x/y"}).prefix, "x/y");
  EXPECT_TRUE(g.HasOperation("import_1/b"));
  EXPECT_EQ(g.FindOperation("x/y/b")->input(0).name(), "x/y/a:0");
  EXPECT_EQ(g.UniqueName("import", false), "import_2");
  EXPECT_EQ(g.UniqueName("IMPORT/a", false), "IMPORT/a_1");
}

TEST(ImportTest, UsesTheOpenNameScope) {
  Graph g;
  Scope root(g);
  Scope outer = root.NameScope("outer");
  EXPECT_EQ(MustImport(g, kTwo, {.name = "i"}).prefix, "outer/i");
  EXPECT_EQ(MustImport(g, kTwo, {.name = "i/"}).prefix, "i");
  EXPECT_EQ(MustImport(g, kTwo, {.name = ""}).prefix, "");
  EXPECT_THAT(Names(g.operations()), ElementsAre("outer/i/a", "outer/i/b", "i/a", "i/b", "a", "b"));
}

TEST(ImportTest, MakesTakenNamesUniqueAndRenamesInputs) {
  Graph g;
  const std::string file =
      Placeholder("a") + Placeholder("a_1") +
      Node("b", "Identity", {"a"}, "T", "attr { key: '_class' value { list { s: 'loc:@a' } } }");
  MustImport(g, file);
  MustImport(g, file);
  EXPECT_THAT(Names(g.operations()), ElementsAre("a", "a_1", "b", "a_2", "a_1_1", "b_1"));
  Operation b = g.FindOperation("b_1").value();
  EXPECT_EQ(b.input(0).name(), "a_2:0");
  EXPECT_THAT(*b.attr<std::vector<std::string>>("_class"), ElementsAre("loc:@a_2"));
}

TEST(ImportTest, NameOfAScopeIsTaken) {
  Graph g;
  MustImport(g, Placeholder("a/b"));
  MustImport(g, Placeholder("a"));
  EXPECT_THAT(Names(g.operations()), ElementsAre("a/b", "a_1"));
}

// Finding the taken names is not quadratic in the length of a name.
TEST(ImportTest, ANameMayHaveManyScopes) {
  std::string name = "a";
  for (int i = 0; i < 500000; ++i) name += "/a";
  Graph g;
  MustImport(g, Placeholder(name));
  MustImport(g, Placeholder(name) + Placeholder("a") + Placeholder("a/a"));
  EXPECT_EQ(g.operations()[1].name(), name + "_1");
  EXPECT_EQ(g.operations()[2].name(), "a_1");
  EXPECT_EQ(g.operations()[3].name(), "a/a_1");
}

TEST(ImportTest, FillsInDefaultsAndKeepsUnknownAttrs) {
  Graph g;
  MustImport(g,
             Node("v", "VariableV2", {}, "dtype",
                  "attr { key: 'shape' value { shape { } } }"
                  "attr { key: '_mine' value { i: 3 } } attr { key: 'newer' value { b: true } }"));
  auto attrs = g.FindOperation("v")->attrs();
  EXPECT_EQ(*attrs->Get<std::string>("container"), "");
  EXPECT_EQ(*attrs->Get<int64_t>("_mine"), 3);
  EXPECT_EQ(*attrs->Get<bool>("newer"), true);
}

TEST(ImportTest, DropsUnknownAttrsThatHoldTheProducersDefault) {
  OpList ops;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "op { name: 'Identity' attr { name: 'newer' type: 'bool' default_value { b: false } }"
      "                      attr { name: 'other' type: 'bool' default_value { b: false } } }",
      &ops));
  Graph g;
  MustImport(
      g,
      Placeholder("a") +
          Node("b", "Identity", {"a"}, "T",
               "attr { key: 'newer' value { b: false } } attr { key: 'other' value { b: true } }"),
      {.name = "", .producer_op_list = ops.SerializeAsString()});
  auto attrs = g.FindOperation("b")->attrs();
  EXPECT_EQ(attrs->Find("newer"), nullptr);
  EXPECT_NE(attrs->Find("other"), nullptr);
}

TEST(ImportTest, OutputShapesRefineAndAreDropped) {
  Graph g;
  const std::string shapes =
      "attr { key: '_output_shapes' value { list { shape { dim { size: 7 } } } } }";
  MustImport(g, Node("a", "Placeholder", {}, "dtype", shapes));
  EXPECT_EQ(g.Tensor("a:0")->shape(), (Shape{7}));
  EXPECT_EQ(g.FindOperation("a")->attrs()->Find("_output_shapes"), nullptr);
}

TEST(ImportTest, ContradictingOutputShapesAreRejectedUnlessDisabled) {
  const std::string file = Placeholder(
      "a", "attr { key: '_output_shapes' value { list { shape { dim { size: 7 } } } } }");
  Graph g;
  EXPECT_THAT(
      Import(g, file).status().message(),
      HasSubstr("Node 'a' has an _output_shapes attribute inconsistent with the GraphDef for "
                "output #0"));
  MustImport(g, file, {.name = "", .validate_shapes = false});
  EXPECT_EQ(g.Tensor("a:0")->shape(), (Shape{2, 3}));
}

TEST(ImportTest, AScalarPlaceholderOfAnOldFileHasUnknownShape) {
  const std::string file =
      Node("a", "Placeholder", {}, "dtype", "attr { key: 'shape' value { shape { } } }");
  Graph old_graph, new_graph;
  MustImport(old_graph, file + "versions { producer: 21 }");
  MustImport(new_graph, file + "versions { producer: 22 }");
  EXPECT_TRUE(old_graph.Tensor("a:0")->shape().unknown_rank());
  EXPECT_EQ(new_graph.Tensor("a:0")->shape().rank(), 0);
}

TEST(ImportTest, MergesVersions) {
  Graph g;
  MustImport(g, Placeholder("a") + "versions { producer: 100 min_consumer: 12 bad_consumers: 7 }");
  MustImport(g,
             Placeholder("b") + "versions { producer: 200 min_consumer: 3 bad_consumers: [7, 5] }");
  EXPECT_EQ(g.versions().producer, 100);
  EXPECT_EQ(g.versions().min_consumer, 12);
  EXPECT_THAT(g.versions().bad_consumers, ElementsAre(5, 7));
}

TEST(ImportTest, InputMapReplacesTensorsAndControls) {
  Graph g;
  MustImport(g, Placeholder("mine") + Node("first", "NoOp", {}));
  Output mine = g.Tensor("mine:0").value();
  Output first(g.FindOperation("first").value(), 0);
  auto results = MustImport(
      g,
      Placeholder("a") + Node("n", "NoOp", {}) + Node("b", "AddV2", {"a", "a:0", "^n", "^a"}, "T"),
      {.name = "i",
       .input_map = {{"a", mine}, {"^n", first}},
       .return_elements = {"a:0", "b", "b:0"}});
  Operation b = g.FindOperation("i/b").value();
  EXPECT_EQ(b.input(0), mine);
  EXPECT_EQ(b.input(1), mine);
  EXPECT_THAT(Names(b.control_inputs()), ElementsAre("first", "i/a"));
  EXPECT_TRUE(g.HasOperation("i/a")) << "the mapped node itself is imported, too";
  ASSERT_EQ(results.return_elements.size(), 3u);
  EXPECT_EQ(std::get<Output>(results.return_elements[0]), mine);
  EXPECT_EQ(std::get<Operation>(results.return_elements[1]), b);
  EXPECT_EQ(std::get<Output>(results.return_elements[2]).name(), "i/b:0");
}

TEST(ImportTest, UnusedKeysWithoutNodesAreRejected) {
  Graph g;
  MustImport(g, Placeholder("mine"));
  Output mine = g.Tensor("mine:0").value();
  auto status =
      Import(g, kTwo, {.name = "i", .input_map = {{"zz:0", mine}, {"^yy", mine}}}).status();
  EXPECT_EQ(status.message(),
            "Attempted to map inputs that were not found in graph_def: [^yy, zz:0]");
  EXPECT_EQ(g.num_operations(), 1);
  MustImport(g, kTwo, {.name = "i", .input_map = {{"b", mine}}});
}

TEST(ImportTest, DeviceScopesApplyUnderANodesOwnDevice) {
  Graph g;
  Scope root(g);
  Scope ps = root.Device("/job:ps/device:CPU:3");
  const std::string file =
      "node { name: 'a' op: 'NoOp' device: '/cpu:1' } node { name: 'b' op: 'NoOp' }" +
      Node("c", "NoOp", {}, "", "attr { key: '_class' value { list { s: 'loc:@a' } } }");
  MustImport(g, file);
  EXPECT_EQ(g.FindOperation("a")->device(), "/job:ps/device:CPU:1");
  EXPECT_EQ(g.FindOperation("b")->device(), "/job:ps/device:CPU:3");
  EXPECT_EQ(g.FindOperation("c")->device(), "/job:ps/device:CPU:1");
  MustImport(g, file, {.name = "clear", .clear_devices = true});
  EXPECT_EQ(g.FindOperation("clear/a")->device(), "/job:ps/device:CPU:3");
}

// The graph of tf.while_loop: the file writes the Merge before the NextIteration that feeds it.
TEST(ImportTest, LoopsCloseThroughNextIteration) {
  Graph g;
  auto results = MustImport(
      g,
      Placeholder("x") + Node("Enter", "Enter", {"x"}, "T") +
          Node("Merge", "Merge", {"Enter", "Next"}, "T", "attr { key: 'N' value { i: 2 } }") +
          Node("Next", "NextIteration", {"Merge"}, "T"),
      {.name = "", .producer_op_list = testing::LoopOps()});
  Operation merge = g.FindOperation("Merge").value();
  EXPECT_EQ(merge.input(1).name(), "Next:0");
  EXPECT_EQ(g.FindOperation("Next")->input(0).name(), "Merge:0");
  EXPECT_EQ(results.operations[2], merge);
}

TEST(ImportTest, AMergeFedByNextIterationsAloneIsACycle) {
  Graph g;
  auto status = Import(g,
                       Node("Merge", "Merge", {"Next"}, "T", "attr { key: 'N' value { i: 1 } }") +
                           Node("Next", "NextIteration", {"Merge"}, "T"),
                       {.name = "", .producer_op_list = testing::LoopOps()})
                    .status();
  EXPECT_THAT(status.message(), StartsWith("2 nodes in a cycle"));
}

// A recursive implementation would overflow the stack.
TEST(ImportTest, ALongChainInReverseOrder) {
  constexpr int kLength = 200'000;
  GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kTwo, &def));
  const NodeDef identity = def.node(1);
  def.mutable_node()->RemoveLast();
  NodeDef source = def.node(0);
  def.clear_node();
  for (int i = kLength; i > 0; --i) {
    NodeDef* node = def.add_node();
    *node = identity;
    node->set_name(StrCat("n", i));
    node->set_input(0, i == 1 ? "a" : StrCat("n", i - 1));
  }
  *def.add_node() = source;
  Graph g;
  auto results = ImportGraphDef(g, def.SerializeAsString(), {.name = ""});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(results->operations[kLength].name(), StrCat("n", kLength));
  EXPECT_EQ(results->operations[kLength].output(0).shape(), (Shape{2, 3}));
}

TEST(ImportTest, UnknownOpWithDefinitionHasItsTypes) {
  OpList ops;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "op { name: 'Exotic' input_arg { name: 'x' type_attr: 'T' }"
      "     output_arg { name: 'y' type_attr: 'T' } output_arg { name: 'n' type: DT_INT64 }"
      "     attr { name: 'T' type: 'type' } attr { name: 'k' type: 'int' default_value { i: 4 } } "
      "}",
      &ops));
  Graph g;
  MustImport(g,
             Placeholder("a") + Node("e", "Exotic", {"a"}, "T") + Node("f", "Identity", {"e"}, "T"),
             {.name = "", .producer_op_list = ops.SerializeAsString()});
  Operation e = g.FindOperation("e").value();
  EXPECT_EQ(e.num_outputs(), 2);
  EXPECT_EQ(e.output(1).dtype(), kInt64);
  EXPECT_EQ(*e.attr<int64_t>("k"), 4);
  EXPECT_FALSE(e.op().registered());
}

TEST(ImportTest, UnknownOpWithoutDefinitionIsInferredFromUse) {
  Graph g;
  auto results =
      MustImport(g,
                 Placeholder("a") + Node("e", "Exotic", {"a", "a"}, "") +
                     Node("f", "Identity", {"e:2"}, "T") + Node("last", "Exotic", {"e:1"}, ""),
                 {.name = "", .return_elements = {"last:1"}});
  Operation e = g.FindOperation("e").value();
  EXPECT_EQ(e.num_inputs(), 2);
  EXPECT_EQ(e.num_outputs(), 3);
  EXPECT_EQ(e.output(2).dtype(), kFloat) << "determined by its consumer";
  EXPECT_EQ(g.FindOperation("last")->num_outputs(), 2);
}

TEST(ImportTest, NodesOfAnOpKnownFromUseCanBeAdded) {
  Graph g;
  MustImport(g, Placeholder("a") + Node("e", "Exotic", {"a", "a"}, "T") +
                    Node("f", "Identity", {"e:1"}, "T"));
  Output a = g.Tensor("a:0").value();
  auto added = g.AddNode({.op = "Exotic", .name = "copy", .inputs = {a, a, a}});
  ASSERT_TRUE(added.ok()) << added.status().ToString();
  EXPECT_EQ(added->num_inputs(), 3);
  EXPECT_EQ(added->num_outputs(), 2);
  EXPECT_EQ(added->output(1).dtype(), kFloat);
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  EXPECT_THAT(written.node(3).input(), ElementsAre("a", "a", "a"));
}

TEST(ImportTest, DeprecatedOpsAreForOldFiles) {
  const std::string file = Placeholder("a") + Node("t", "TensorArraySize", {"a"});
  Graph g;
  auto status = Import(g, file + "versions { producer: 16 }").status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_EQ(status.message(),
            "Op TensorArraySize is not available in GraphDef version 16. It has been removed in "
            "version 16. Use TensorArraySizeV3.; NodeDef: {{node t}}");
  MustImport(g, file + "versions { producer: 15 }");
}

TEST(ImportTest, ImportedNamesAreTakenBeforeTheFirstLookup) {
  Graph g;
  MustImport(g, Placeholder("A") + Placeholder("b/c"));
  EXPECT_EQ(g.UniqueName("a"), "a_1");
  EXPECT_EQ(g.UniqueName("b/C"), "b/C_1");
  MustImport(g, Placeholder("d"));
  ASSERT_TRUE(g.AddNode({.op = "NoOp", .name = "e"}).ok());
  EXPECT_EQ(g.UniqueName("D", false), "D_1");
  EXPECT_EQ(g.UniqueName("e", false), "e_1");
}

TEST(ImportTest, GraphWithFunctionsRequiresReadersThatSupportThem) {
  Graph g;
  MustImport(g, "library { function { signature { name: 'F' } } } versions { producer: 30 }");
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  EXPECT_EQ(written.versions().min_consumer(), 12);
}

TEST(ImportTest, AFunctionCallHasTheSignatureOfTheLibrary) {
  const std::string library =
      "library { function { signature { name: 'F' input_arg { name: 'x' type: DT_FLOAT }"
      "          output_arg { name: 'y' type: DT_INT32 } } } }";
  Graph g;
  MustImport(g, Placeholder("a") + Node("call", "F", {"a"}, "") + library);
  EXPECT_EQ(g.Tensor("call:0")->dtype(), kInt32);
  MustImport(g, Placeholder("b") + Node("again", "F", {"b"}, ""), {.name = "later"});
  EXPECT_EQ(g.Tensor("later/again:0")->dtype(), kInt32);
  MustImport(g, library);
  std::string other = library;
  other.replace(other.find("DT_INT32"), 8, "DT_INT64");
  EXPECT_THAT(Import(g, other).status().message(),
              HasSubstr("Cannot add function 'F' because a different function with the same name"));
}

TEST(ImportTest, KeepsOtherFieldsOfNodes) {
  const std::string file =
      "node { name: 'a' op: 'NoOp' experimental_debug_info { original_node_names: 'old' } }";
  Graph g;
  MustImport(g, file);
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  EXPECT_EQ(written.node(0).experimental_debug_info().original_node_names(0), "old");
  EXPECT_THAT(written.node(0).attr(), IsEmpty());
}

TEST(ImportTest, KeepsOtherFieldsOfAttrs) {
  const std::string named = "shape { dim { size: 2 name: 'batch' } }";
  const std::string splat =
      "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 300 } } float_val: [1, 2] }";
  GraphDef def = GraphDefOf(
      "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"
      " attr { key: 'shape' value { " +
      named + " } } attr { key: '_x' value { list { " + named +
      " } } } } node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }"
      " attr { key: 'value' value { " +
      splat + " } } }");
  AttrValue& dtype = (*def.mutable_node(0)->mutable_attr())["dtype"];
  dtype.GetReflection()->MutableUnknownFields(&dtype)->AddVarint(99, 5);
  Graph g;
  MustImport(g, def.SerializeAsString());
  EXPECT_EQ(g.Tensor("a:0")->shape(), Shape({2}));
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(CanonicalBytes(written.node(i)), CanonicalBytes(def.node(i)));
  }
}

TEST(ImportTest, TheMemoryLimitNamesItsUsers) {
  const auto zeros = [](std::string_view name, int64_t count) {
    return StrCat(
        "node { name: '", name, "' op: 'Const'", " attr { key: 'dtype' value { type: DT_FLOAT } }",
        " attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: ", count,
        " } } float_val: 0 } } } }");
  };
  Graph g;
  const Status status = Import(g, zeros("small", 1000) + zeros("huge", 1 << 29)).status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(
      status.message(),
      HasSubstr("(2147483644 bytes needed, 2147479652 left; used by 'small' (3996 bytes))"));
  EXPECT_THAT(status.message(), HasSubstr("{{node huge}}"));
}

TEST(ImportTest, UnknownAttrsAreNotInterpreted) {
  const std::string file =
      "node { name: 'a' op: 'NoOp' attr { key: '_s' value { shape { dim { size: -7 } } } }"
      " attr { key: '_t' value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } }"
      " tensor_content: 'abc' } } } }";
  Graph g;
  MustImport(g, file);
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  EXPECT_EQ(CanonicalBytes(written.node(0)), CanonicalBytes(GraphDefOf(file).node(0)));
}

TEST(ImportTest, ReadsFilesOfBothForms) {
  ScratchDir dir;
  GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kTwo, &def));
  const std::string text = dir / "g.pbtxt", binary = dir / "g.pb";
  ASSERT_TRUE(AtomicWriteFile(text, kTwo).ok());
  ASSERT_TRUE(AtomicWriteFile(binary, def.SerializeAsString()).ok());
  Graph g;
  EXPECT_TRUE(ImportGraphDefFile(g, text).ok());
  EXPECT_TRUE(ImportGraphDefFile(g, binary).ok());
  EXPECT_EQ(g.num_operations(), 4);
  EXPECT_EQ(ImportGraphDefFile(g, "/nowhere/x.pb").status().message(),
            "File /nowhere/x.pb does not exist.");
}

struct Refusal {
  const char* what;
  std::string file;
  std::string message;
};

void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.file; }

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

// The messages are TensorFlow's, and the graph does not change.
TEST_P(RefusalTest, ReportsTheReasonAndChangesNothing) {
  Graph g;
  MustImport(g, Placeholder("before"));
  const std::string before = ExportGraphDef(g).value();
  auto status =
      Import(g, GetParam().file, {.name = "s", .producer_op_list = testing::LoopOps()}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
  EXPECT_EQ(ExportGraphDef(g).value(), before);
  EXPECT_EQ(g.UniqueName("s", false), "s");
  EXPECT_TRUE(g.status().ok());
  EXPECT_EQ(MustImport(g, kTwo, {.name = "s"}).prefix, "s");
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusalTest,
    ::testing::Values(
        Refusal{"unknown_input", Node("b", "Identity", {"zzz"}, "T"),
                "Node 'b': Unknown input node 'zzz'"},
        Refusal{"unknown_control", Node("b", "NoOp", {"^zzz"}),
                "Node 'b': Unknown input node '^zzz'"},
        Refusal{"negative_port", Placeholder("a") + Node("b", "Identity", {"a:-3"}, "T"),
                "Node 'b': Unknown input node 'a:-3'"},
        Refusal{"output_index", Placeholder("a") + Node("b", "Identity", {"a:4"}, "T"),
                "Node 'b': Connecting to invalid output 4 of source node s/a which has 1 outputs."},
        Refusal{"huge_index",
                Placeholder("a") + Node("b", "Identity", {"a:99999999999999999999"}, "T"),
                "Node 'b': Connecting to invalid output 2147483647"},
        Refusal{"duplicate", Placeholder("a") + Placeholder("a"), "Node 'a' is not unique"},
        Refusal{"bad_name", Placeholder("_b"), "Node '_b': Node name contains invalid characters"},
        Refusal{"empty_name", Placeholder(""), "Node '': Node name contains invalid characters"},
        Refusal{"bad_group", Placeholder("a>>b"),
                "Node 'a>>b': Node name contains invalid characters"},
        Refusal{"control_before_data", kTwo + Node("c", "Identity", {"^a", "b"}, "T"),
                "Node 'c': Control dependencies must come after regular dependencies"},
        Refusal{"colocation",
                Node("b", "NoOp", {}, "", "attr { key: '_class' value { list { s: 'loc:@zz' } } }"),
                "Node 'b' expects to be colocated with unknown node 'zz'"},
        Refusal{"missing_attr", Placeholder("a") + Node("b", "Identity", {"a"}, ""),
                "NodeDef missing attr 'T' from Op<Identity"},
        Refusal{"arity", Placeholder("a") + Node("b", "Identity", {"a", "a"}, "T"),
                "NodeDef expected inputs 'float' do not match 2 inputs specified; Op<Identity"},
        Refusal{
            "dtype",
            Placeholder("a") +
                Node("b", "Identity", {"a"}, "", "attr { key: 'T' value { type: DT_INT32 } }"),
            "Input 0 of node s/b was passed float from s/a:0 incompatible with expected int32."},
        Refusal{"plain_for_ref", Placeholder("a") + Node("b", "Assign", {"a", "a"}, "T"),
                "Input 0 of node s/b was passed float from s/a:0 incompatible with expected "
                "float_ref."},
        Refusal{"attr_kind",
                Node("a", "Placeholder", {}, "", "attr { key: 'dtype' value { i: 1 } }"),
                "attr 'dtype' must be of kind type"},
        Refusal{"attr_value",
                Placeholder("a") + Node("b", "AddV2", {"a", "a"}, "",
                                        "attr { key: 'T' value { type: DT_STRING } }"),
                "is not in the list of allowed values"},
        Refusal{
            "attr_of_reference",
            Node("a", "Placeholder", {}, "", "attr { key: 'dtype' value { type: DT_FLOAT_REF } }"),
            "AttrValue must not have reference type value of float_ref for attr 'dtype'"},
        Refusal{"self_input", Node("a", "Identity", {"a"}, "T"), "1 nodes in a cycle"},
        Refusal{"cycle",
                Node("a", "Identity", {"c"}, "T") + Node("b", "Identity", {"a"}, "T") +
                    Node("c", "Identity", {"b"}, "T"),
                "3 nodes in a cycle"},
        Refusal{"control_cycle", Node("a", "NoOp", {"^b"}) + Node("b", "NoOp", {"^a"}),
                "2 nodes in a cycle"},
        Refusal{"cycle_through_merge",
                Placeholder("x") +
                    Node("m", "Merge", {"x", "i"}, "T", "attr { key: 'N' value { i: 2 } }") +
                    Node("i", "Identity", {"m"}, "T"),
                "2 nodes in a cycle"},
        Refusal{
            "min_consumer", "versions { producer: 100000 min_consumer: 99999 }",
            "GraphDef min consumer version 99999 above current version 2474 for TensorFlow 2.21.0"},
        Refusal{"bad_consumer", "versions { bad_consumers: 2474 }",
                "GraphDef disallows consumer version 2474"},
        Refusal{"negative_producer", "versions { producer: -1 }",
                "GraphDef producer version -1 below min producer 0"},
        Refusal{"shape",
                Placeholder("a") +
                    Node("b", "Placeholder", {}, "dtype",
                         "attr { key: 'shape' value { shape { dim { size: 9 } } } }") +
                    Node("c", "AddV2", {"a", "b"}, "T"),
                "node 's/c' (AddV2): Dimensions must be equal"},
        Refusal{"negative_dim",
                Node("v", "VariableV2", {}, "dtype",
                     "attr { key: 'shape' value { shape { dim { size: -5 } } } }"),
                "{{node v}}"},
        Refusal{"short_content",
                Node("k", "Const", {}, "dtype",
                     "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { dim { "
                     "size: 2 } }"
                     " tensor_content: 'abc' } } }"),
                "attr 'value'"},
        Refusal{"bad_device", "node { name: 'a' op: 'NoOp' device: '/foo:1' }",
                "Node 'a': Unknown attribute 'foo'"},
        Refusal{
            "negative_count",
            Placeholder("x") + Node("m", "Merge", {"x"}, "T", "attr { key: 'N' value { i: -1 } }"),
            "{{node m}}"},
        Refusal{"huge_count",
                Placeholder("x") +
                    Node("m", "Merge", {"x"}, "T", "attr { key: 'N' value { i: 1099511627776 } }"),
                "{{node m}}"}),
    [](const auto& info) { return info.param.what; });

TEST(ImportTest, ReturnElementsThatAreMissing) {
  Graph g;
  auto message = [&](const std::string& element) {
    return Import(g, kTwo, {.name = "", .return_elements = {element}}).status().message();
  };
  EXPECT_EQ(message("nope:0"), "Requested return tensor 'nope:0' not found in graph def");
  EXPECT_EQ(message("nope"), "Requested return node 'nope' not found in graph def");
  EXPECT_EQ(message("a:3"), "Invalid return output 3 of node 'a', which has 1 output(s)");
  EXPECT_EQ(g.num_operations(), 0);
}

TEST(ImportTest, ConstantsFarLargerThanTheirFileAreRefused) {
  auto constant = [](const std::string& dims) {
    return Node("k", "Const", {}, "dtype",
                "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {" + dims +
                    "} float_val: 1 } } }");
  };
  Graph g;
  EXPECT_EQ(Import(g, constant("dim { size: 1099511627776 }")).status().code(),
            Code::kResourceExhausted);
  EXPECT_EQ(
      Import(g, constant("dim { size: 4611686018427387904 } dim { size: 4611686018427387904 }"))
          .status()
          .code(),
      Code::kInvalidArgument);
  EXPECT_EQ(g.num_operations(), 0);
}

TEST(ImportTest, AnAttrNestedTenThousandDeepIsRefused) {
  AttrValue value;
  value.set_s("end");
  std::string bytes = value.SerializeAsString();
  auto wrap = [](int field, const std::string& inner) {
    std::string out(1, static_cast<char>(field << 3 | 2));
    for (size_t n = inner.size();; n >>= 7) {
      out.push_back(static_cast<char>(n < 128 ? n : (n & 127) | 128));
      if (n < 128) break;
    }
    return out + inner;
  };
  for (int i = 0; i < 10'000; ++i) bytes = wrap(10, wrap(2, wrap(1, "k") + wrap(2, bytes)));
  const std::string node = wrap(1, "n") + wrap(2, "NoOp") + wrap(5, wrap(1, "f") + wrap(2, bytes));
  Graph g;
  EXPECT_EQ(ImportGraphDef(g, wrap(1, node)).status().code(), Code::kDataLoss);
}

TEST(ImportTest, FinalizedGraphRejectsImports) {
  Graph g;
  g.Finalize();
  auto status = Import(g, kTwo).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.message(), "Graph is finalized and cannot be modified.");
}

TEST(ImportTest, TextParseErrorsNameThePosition) {
  Graph g;
  auto status = Import(g, "node { name: 'a' }\nnode { nme: 'b' }").status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("line 2"));
}

}  // namespace
}  // namespace ramet
