#include "ramet/graph_def/meta_graph.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <set>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/graph/scope.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/proto/control_flow.pb.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/variable.pb.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Node;
using testing::Placeholder;
using ::testing::SizeIs;

template <class M>
std::string Bytes(const std::string& text) {
  M message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message.SerializeAsString();
}

// The nodes of a variable "v", and its VariableDef.
const std::string kVariableNodes =
    Placeholder("v/init") +
    Node("v", "VariableV2", {}, "dtype",
         "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } }") +
    Node("v/Assign", "Assign", {"v", "v/init"}, "T") + Node("v/read", "Identity", {"v"}, "T");
const std::string kVariableDef =
    "variable_name: 'v:0' initializer_name: 'v/Assign' snapshot_name: 'v/read:0' "
    "initial_value_name: 'v/init:0' ";

MetaGraphDef Meta(const std::string& nodes, const std::string& more = "") {
  MetaGraphDef meta;
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString("graph_def {" + nodes + "}" + more, &meta));
  return meta;
}

void AddBytes(MetaGraphDef* meta, const std::string& key, const std::string& bytes) {
  (*meta->mutable_collection_def())[key].mutable_bytes_list()->add_value(bytes);
}

MetaGraphDef VariableMeta(const std::string& def_text = kVariableDef + "trainable: true") {
  MetaGraphDef meta = Meta(kVariableNodes);
  AddBytes(&meta, "variables", Bytes<VariableDef>(def_text));
  AddBytes(&meta, "trainable_variables", Bytes<VariableDef>(def_text));
  return meta;
}

StatusOr<MetaGraphInfo> Import(Graph& g, const MetaGraphDef& meta,
                               const ImportMetaGraphOptions& options = {}) {
  return ImportMetaGraphBytes(g, meta.SerializeAsString(), options);
}

MetaGraphDef ExportMeta(const Graph& g, const ExportMetaGraphOptions& options = {}) {
  auto bytes = ExportMetaGraph(g, options);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  MetaGraphDef meta;
  EXPECT_TRUE(meta.ParseFromString(bytes.value_or("")));
  EXPECT_EQ(CanonicalBytes(meta), bytes.value_or("")) << "the bytes equal protobuf's";
  return meta;
}

TEST(MetaGraphTest, OneVariableForEqualDefinitions) {
  Graph g;
  auto info = Import(g, VariableMeta());
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  ASSERT_THAT(info->variables, SizeIs(1));
  const Variable v = info->variables[0];
  EXPECT_EQ(v.name(), "v:0");
  EXPECT_EQ(v.initializer().name(), "v/Assign");
  EXPECT_EQ(v.value().name(), "v/read:0");
  EXPECT_EQ(v.record().initial_value.name(), "v/init:0");
  EXPECT_TRUE(v.record().trainable);
  EXPECT_THAT(g.collections().Get<Variable>("variables"), ElementsAre(v));
  EXPECT_THAT(g.collections().Get<Variable>("trainable_variables"), ElementsAre(v));
}

TEST(MetaGraphTest, VariableDefsSurviveARoundTrip) {
  Graph g;
  const std::string text =
      kVariableDef +
      "trainable: true synchronization: VARIABLE_SYNCHRONIZATION_ON_READ "
      "aggregation: VARIABLE_AGGREGATION_MEAN save_slice_info_def { full_name: 'w' "
      "full_shape: [4, 3] var_offset: [2, 0] var_shape: [2, 3] }";
  ASSERT_TRUE(Import(g, VariableMeta(text)).ok());
  MetaGraphDef written = ExportMeta(g);
  EXPECT_EQ(written.collection_def().at("variables").bytes_list().value(0),
            Bytes<VariableDef>(text));
}

TEST(MetaGraphTest, OldFilesMarkTrainableVariablesByCollection) {
  MetaGraphDef meta = Meta(kVariableNodes + Placeholder("w") + Node("w/Assign", "NoOp", {}));
  AddBytes(&meta, "variables", Bytes<VariableDef>(kVariableDef));
  AddBytes(
      &meta, "variables",
      Bytes<VariableDef>("variable_name: 'w:0' initializer_name: 'w/Assign' snapshot_name: 'w:0'"));
  AddBytes(&meta, "trainable_variables", Bytes<VariableDef>(kVariableDef));
  meta.mutable_meta_info_def()->set_tensorflow_version("1.8.0");
  Graph old_graph;
  ASSERT_TRUE(Import(old_graph, meta).ok());
  EXPECT_TRUE(old_graph.variables()[0].trainable);
  EXPECT_FALSE(old_graph.variables()[1].trainable);
  meta.mutable_meta_info_def()->set_tensorflow_version("1.10.1");
  Graph new_graph;
  ASSERT_TRUE(Import(new_graph, meta).ok());
  EXPECT_FALSE(new_graph.variables()[0].trainable);
}

TEST(MetaGraphTest, CollectionsOfEveryKind) {
  MetaGraphDef meta = Meta(Placeholder("a") + Node("n", "NoOp", {}), R"pb(
    collection_def {
      key: "nodes"
      value { node_list { value: "n" value: "a:0" } }
    }
    collection_def {
      key: "texts"
      value { bytes_list { value: "one" value: "two" } }
    }
    collection_def {
      key: "ints"
      value { int64_list { value: 7 value: -1 } }
    }
    collection_def {
      key: "floats"
      value { float_list { value: 0.5 } }
    }
    collection_def {
      key: "anys"
      value {
        any_list {
          value { type_url: "type.googleapis.com/tensorflow.AssetFileDef" value: "\022\001x" }
        }
      }
    }
    collection_def {
      key: "queue_runners"
      value { bytes_list { value: "\n\001q" } }
    }
    collection_def {
      key: "nothing"
      value {}
    })pb");
  Graph g;
  auto info = Import(g, meta);
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  const Collections& c = g.collections();
  EXPECT_EQ(std::get<Operation>(c.Get("nodes")[0]).name(), "n");
  EXPECT_EQ(std::get<Output>(c.Get("nodes")[1]).name(), "a:0");
  EXPECT_THAT(c.Get<std::string>("texts"), ElementsAre("one", "two"));
  EXPECT_THAT(c.Get<int64_t>("ints"), ElementsAre(7, -1));
  EXPECT_THAT(c.Get<float>("floats"), ElementsAre(0.5f));
  EXPECT_THAT(c.Get<OpaqueMessage>("anys"), SizeIs(1));
  EXPECT_THAT(c.Get<OpaqueMessage>("queue_runners"), SizeIs(1));
  MetaGraphDef written = ExportMeta(g, {.carried = info->carried});
  for (const auto& [key, collection] : meta.collection_def()) {
    ASSERT_TRUE(written.collection_def().contains(key)) << key;
    EXPECT_EQ(written.collection_def().at(key).DebugString(), collection.DebugString()) << key;
  }
}

TEST(MetaGraphTest, NamesInCollectionsGetTheScope) {
  MetaGraphDef meta = VariableMeta();
  meta.MergeFrom(Meta("", R"pb(
    collection_def {
      key: "train_op"
      value { node_list { value: "v/Assign" value: "v/read:0" } }
    }
    collection_def {
      key: "texts"
      value { bytes_list { value: "one" } }
    }
    saver_def {
      filename_tensor_name: "save/Const:0"
      save_tensor_name: "save/ctrl:0"
      restore_op_name: "save/restore_all"
      max_to_keep: 5
      version: V2
    })pb"));
  Graph g;
  ASSERT_TRUE(Import(g, meta, {.import_scope = "I"}).ok());
  auto info = Import(g, meta, {.import_scope = "I"});
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  EXPECT_EQ(info->prefix, "I_1");
  EXPECT_EQ(info->variables[0].name(), "I_1/v:0");
  EXPECT_EQ(std::get<Operation>(g.collections().Get("train_op")[2]).name(), "I_1/v/Assign");
  EXPECT_THAT(g.collections().Get<std::string>("texts"), ElementsAre("I/one", "I_1/one"));
  EXPECT_EQ(info->saver->filename_tensor_name, "I_1/save/Const:0");
  EXPECT_EQ(info->saver->restore_op_name, "I_1/save/restore_all");
  EXPECT_EQ(info->saver->max_to_keep, 5);
  EXPECT_EQ(info->saver->version, SaverNames::Format::kV2);
}

// TensorFlow's collections refer to the first copy in this case.
TEST(MetaGraphTest, NamesInCollectionsMatchNodesThatWereRenamed) {
  Graph g;
  ASSERT_TRUE(Import(g, VariableMeta()).ok());
  auto info = Import(g, VariableMeta());
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->variables[0].name(), "v_1:0");
  EXPECT_EQ(info->variables[0].initializer().name(), "v/Assign_1");
}

TEST(MetaGraphTest, WhileContextsAndFramesGetTheScope) {
  MetaGraphDef meta = Meta(
      Placeholder("x") +
      Node("W/Enter", "Enter", {"x"}, "T",
           "attr { key: 'frame_name' value { s: 'W/while_context' } }") +
      Node("W/Merge", "Merge", {"W/Enter", "W/Next"}, "T", "attr { key: 'N' value { i: 2 } }") +
      Node("W/Next", "NextIteration", {"W/Merge"}, "T"));
  meta.mutable_meta_info_def()->mutable_stripped_op_list()->ParseFromString(testing::LoopOps());
  AddBytes(&meta, "while_context", Bytes<WhileContextDef>(R"pb(
    context_name: "W/while_context"
    pivot_name: "W/Merge:0"
    loop_enter_names: "W/Enter:0"
    values_def {
      values: "W/Enter:0"
      external_values { key: "x:0" value: "W/Enter:0" }
    })pb"));
  Graph g;
  ASSERT_TRUE(Import(g, meta, {.import_scope = "c"}).ok());
  EXPECT_EQ(*g.FindOperation("c/W/Enter")->attr<std::string>("frame_name"), "c/W/while_context");
  WhileContextDef context;
  const auto loops = g.collections().Get<std::shared_ptr<const CollectionObject>>("while_context");
  ASSERT_THAT(loops, SizeIs(1));
  context.ParseFromString(std::get<OpaqueMessage>(*loops[0]->Export("")).bytes);
  EXPECT_EQ(context.context_name(), "c/W/while_context");
  EXPECT_EQ(context.values_def().values(0), "c/W/Enter:0");
  EXPECT_EQ(context.values_def().external_values().at("c/x:0"), "c/W/Enter:0");

  MetaGraphDef back = ExportMeta(g, {.export_scope = "c"});
  EXPECT_EQ(back.collection_def().at("while_context").DebugString(),
            meta.collection_def().at("while_context").DebugString());
  EXPECT_EQ(back.graph_def().node(1).attr().at("frame_name").s(), "W/while_context");
}

TEST(MetaGraphTest, OneGraphGivesTheSameBytesEachTime) {
  MetaGraphDef meta = Meta(Node("a", "NoOp", {}));
  CondContextDef context;
  context.set_context_name("cond_text");
  SignatureDef& signature = (*meta.mutable_signature_def())["s"];
  for (int i = 0; i < 50; ++i) {
    (*context.mutable_values_def()->mutable_external_values())[StrCat("x", i, ":0")] = "a:0";
    (*signature.mutable_inputs())[StrCat("x", i)].set_name("a:0");
  }
  AddBytes(&meta, "cond_context", context.SerializeAsString());
  const std::string file = meta.SerializeAsString();
  std::set<std::string> exports;
  for (int i = 0; i < 5; ++i) {
    Graph g;
    const auto info = ImportMetaGraphBytes(g, file, {.import_scope = "s"}).value();
    exports.insert(ExportMetaGraph(g, {.carried = info.carried}).value());
  }
  EXPECT_EQ(exports.size(), 1u);
}

TEST(MetaGraphTest, ScopeIsExportedWithUnboundInputsAndImportedOnOthers) {
  Graph g;
  Scope s(g);
  Output ext = s.Placeholder("ext", kFloat, {2});
  {
    Scope h = s.NameScope("H");
    Scope after = h.ControlDependencies({ext.op()});
    Output y = AddOp(g, "Identity", {ext}, {}, "y").output(0);
    AddOp(g, "NoOp", {}, {}, "n");
    g.collections().Add("outs", y);
    g.collections().Add("outs", ext);
    g.collections().Add("numbers", int64_t{4});
  }
  MetaGraphDef meta = ExportMeta(g, {.export_scope = "H"});
  ASSERT_EQ(meta.graph_def().node_size(), 2);
  EXPECT_EQ(meta.graph_def().node(0).name(), "y");
  EXPECT_EQ(meta.graph_def().node(0).input(0), "$unbound_inputs_ext");
  EXPECT_EQ(meta.graph_def().node(1).input(0), "^$unbound_inputs_ext");
  EXPECT_THAT(meta.collection_def().at("outs").node_list().value(), ElementsAre("y:0"));
  EXPECT_THAT(meta.collection_def().at("numbers").int64_list().value(), ElementsAre(4));
  EXPECT_THAT(meta.collection_def().at("unbound_inputs").bytes_list().value(),
              ElementsAre("$unbound_inputs_ext", "^$unbound_inputs_ext"));
  EXPECT_THAT(g.collections().Get("unbound_inputs"), IsEmpty())
      << "the graph itself does not change";

  Graph other;
  Scope t(other);
  Output mine = t.Placeholder("mine", kFloat, {2});
  EXPECT_EQ(
      Import(other, meta).status().message(),
      "Graph contains unbound inputs: $unbound_inputs_ext,^$unbound_inputs_ext. Must provide these "
      "inputs through input_map.");
  auto info =
      Import(other, meta,
             {.import_scope = "K",
              .input_map = {{"$unbound_inputs_ext", mine}, {"^$unbound_inputs_ext", mine}}});
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  EXPECT_EQ(other.FindOperation("K/y")->input(0), mine);
  EXPECT_EQ(other.FindOperation("K/n")->control_inputs()[0], mine.op());
}

TEST(MetaGraphTest, AScopeIsAPlainPrefix) {
  Graph g;
  Scope s(g);
  s.Placeholder("H/a", kFloat);
  s.Placeholder("H_other/a", kFloat);
  MetaGraphDef meta = ExportMeta(g, {.export_scope = "H/"});
  ASSERT_EQ(meta.graph_def().node_size(), 2);
  EXPECT_EQ(meta.graph_def().node(0).name(), "a");
  EXPECT_EQ(meta.graph_def().node(1).name(), "H_other/a");
}

TEST(MetaGraphTest, CarriesDataThatAGraphCannotHold) {
  MetaGraphDef meta = Meta(Node("e", "Exotic", {}), R"pb(
    meta_info_def {
      tags: "serve"
      meta_graph_version: "mine"
      stripped_op_list {
        op {
          name: "Exotic"
          deprecation { version: 9000 explanation: "old" }
        }
      }
    }
    signature_def {
      key: "sig"
      value {
        method_name: "m"
        inputs {
          key: "x"
          value { name: "e:0" }
        }
      }
    }
    asset_file_def {
      filename: "vocab.txt"
      tensor_info { name: "f:0" }
    })pb");
  meta.GetReflection()->MutableUnknownFields(&meta)->AddVarint(55, 1);
  Graph g;
  auto info = Import(g, meta);
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  EXPECT_THAT(info->tags, ElementsAre("serve"));
  EXPECT_EQ(info->signature_defs.at("sig"), meta.signature_def().at("sig").SerializeAsString());
  MetaGraphDef written = ExportMeta(g, {.carried = info->carried});
  EXPECT_EQ(written.signature_def().at("sig").method_name(), "m");
  EXPECT_EQ(written.asset_file_def(0).filename(), "vocab.txt");
  EXPECT_EQ(written.meta_info_def().meta_graph_version(), "mine");
  EXPECT_THAT(written.meta_info_def().tags(), ElementsAre("serve"));
  EXPECT_EQ(written.meta_info_def().stripped_op_list().op(0).deprecation().version(), 9000);
  EXPECT_EQ(written.GetReflection()->GetUnknownFields(written).field_count(), 1);
}

TEST(MetaGraphTest, UnknownFieldsOfVersionsAndSaverSurvive) {
  MetaGraphDef meta = Meta(Node("a", "NoOp", {}));
  meta.mutable_saver_def()->set_restore_op_name("a");
  auto add = [](google::protobuf::Message* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(1000, 7);
  };
  add(meta.mutable_saver_def());
  add(meta.mutable_graph_def()->mutable_versions());
  Graph g;
  auto info = Import(g, meta);
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  auto count = [](const google::protobuf::Message& message) {
    return message.GetReflection()->GetUnknownFields(message).field_count();
  };
  const MetaGraphDef written = ExportMeta(g, {.saver = info->saver, .carried = info->carried});
  EXPECT_EQ(count(written.saver_def()), 1);
  EXPECT_EQ(count(written.graph_def().versions()), 1);
  EXPECT_FALSE(ExportMeta(g, {.carried = info->carried}).has_saver_def());
}

TEST(MetaGraphTest, TheOpListIsSortedAndWithoutFunctions) {
  MetaGraphDef meta =
      Meta(Placeholder("b") + Node("a", "Identity", {"b"}, "T") + Node("c", "F", {}) +
           "library { function { signature { name: 'F' } node_def { name: 'n' op: 'NoOp' } } }");
  Graph g;
  ASSERT_TRUE(Import(g, meta).ok());
  const MetaGraphDef written = ExportMeta(g);
  const auto& list = written.meta_info_def().stripped_op_list();
  std::vector<std::string> names;
  for (const OpDef& op : list.op()) names.push_back(op.name());
  EXPECT_THAT(names, ElementsAre("Identity", "NoOp", "Placeholder"));
}

TEST(MetaGraphTest, CollectionOfMixedKindsIsOmitted) {
  Graph g;
  g.collections().Add("mixed", int64_t{1});
  g.collections().Add("mixed", std::string("two"));
  g.collections().Add("good", 0.5f);
  MetaGraphDef meta = ExportMeta(g);
  EXPECT_FALSE(meta.collection_def().contains("mixed"));
  EXPECT_TRUE(meta.collection_def().contains("good"));
  EXPECT_THAT(ExportMeta(g, {.collections = std::vector<std::string>{}}).collection_def(),
              IsEmpty());
}

TEST(MetaGraphTest, ExtraneousSaversAreCleared) {
  MetaGraphDef meta = Meta(Node("x", "NoOp", {}) + Node("save/SaveV2", "SaveV2", {}) +
                           Node("save/c", "NoOp", {}) + Node("save_1/RestoreV2", "RestoreV2", {}) +
                           Node("save_1/c", "NoOp", {}) + Node("save_1/in/SaveV2", "SaveV2", {}) +
                           Node("save_1/z", "NoOp", {}) + Node("save_10", "NoOp", {}));
  Graph g;
  ASSERT_TRUE(Import(g, meta).ok());
  SaverNames saver{"save/Const:0", "save/c:0", "save/restore_all"};
  g.collections().Add("savers", OpaqueMessage{"", "x"});
  MetaGraphDef written = ExportMeta(g, {.clear_extraneous_savers = true, .saver = saver});
  std::vector<std::string> names;
  for (const NodeDef& n : written.graph_def().node()) names.push_back(n.name());
  EXPECT_THAT(names, ElementsAre("x", "save/SaveV2", "save/c", "save_10"));
  EXPECT_EQ(written.collection_def().at("savers").bytes_list().value(0),
            written.saver_def().SerializeAsString());
}

TEST(MetaGraphTest, CollectionsOfMissingElementsAreRejected) {
  auto refused = [](const MetaGraphDef& meta) {
    Graph g;
    Scope(g).Placeholder("before", kFloat);
    Status status = Import(g, meta, {.import_scope = "s"}).status();
    EXPECT_EQ(g.num_operations(), 1);
    EXPECT_TRUE(g.variables().empty());
    EXPECT_TRUE(g.collections().all().empty());
    EXPECT_FALSE(g.HasOperation("s/a"));
    return status.ToString();
  };
  const std::string a = Placeholder("a");
  EXPECT_THAT(
      refused(Meta(a, "collection_def { key: 'k' value { node_list { value: 'gone' } } }")),
      HasSubstr("collection 'k': The name 'gone' refers to an Operation not in the graph."));
  EXPECT_THAT(refused(Meta(a, "collection_def { key: 'k' value { node_list { value: 'a:4' } } }")),
              HasSubstr("exists but only has 1 outputs"));
  EXPECT_THAT(
      refused(VariableMeta("variable_name: 'v:0' initializer_name: 'gone' snapshot_name: 'v:0'")),
      HasSubstr("collection 'trainable_variables': variable 'v:0': The name 'gone'"));
  MetaGraphDef garbage = Meta(a);
  AddBytes(&garbage, "variables", "\xff\xff");
  EXPECT_THAT(refused(garbage), HasSubstr("DATA_LOSS: collection 'variables'"));
  MetaGraphDef context = Meta(a);
  AddBytes(&context, "cond_context", "\xff\xff");
  EXPECT_THAT(refused(context), HasSubstr("DATA_LOSS: collection 'cond_context'"));
}

TEST(MetaGraphTest, ASaverWhoseNodesAreGoneIsStillReported) {
  Graph g;
  auto info =
      Import(g, Meta(Placeholder("a"), "saver_def { restore_op_name: 'save/restore_all' }"));
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->saver->restore_op_name, "save/restore_all");
}

TEST(MetaGraphTest, ReadsTextFormWithTensorFlowsAnys) {
  Graph g;
  auto info = ImportMetaGraphBytes(
      g, R"pb(graph_def { node { name: "a" op: "NoOp" } }
              collection_def {
                key: "saved_model_assets"
                value {
                  any_list {
                    value {
                      [type.googleapis.com/tensorflow.AssetFileDef] { filename: "vocab.txt" }
                    }
                  }
                }
              })pb");
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  auto anys = g.collections().Get<OpaqueMessage>("saved_model_assets");
  ASSERT_THAT(anys, SizeIs(1));
  EXPECT_EQ(anys[0].type_url, "type.googleapis.com/tensorflow.AssetFileDef");
  AssetFileDef asset;
  ASSERT_TRUE(asset.ParseFromString(anys[0].bytes));
  EXPECT_EQ(asset.filename(), "vocab.txt");
}

TEST(MetaGraphTest, TextThatCouldNotBeReadBackIsRejected) {
  Graph graph;
  const Status text =
      ImportMetaGraphBytes(graph, "meta_info_def { tensorflow_version: '2\\377' }").status();
  EXPECT_TRUE(IsDataLoss(text));
  EXPECT_THAT(text.message(), HasSubstr("is not UTF-8"));
  MetaGraphDef meta = VariableMeta();
  (*meta.mutable_collection_def())["mine"].mutable_any_list()->add_value();
  const Status any = ImportMetaGraphBytes(graph, meta.SerializeAsString()).status();
  EXPECT_TRUE(IsDataLoss(any));
  EXPECT_THAT(any.message(), HasSubstr("collection 'mine': an item of its any_list"));
  EXPECT_EQ(graph.num_operations(), 0);
}

TEST(MetaGraphTest, MissingAndMalformedFiles) {
  ScratchDir dir;
  Graph g;
  EXPECT_EQ(ImportMetaGraphFile(g, dir / "no.meta").status().message(),
            StrCat("File ", dir / "no.meta", " does not exist."));
  ASSERT_TRUE(AtomicWriteFile(dir / "bad.meta", "\x01\x02 rubbish").ok());
  Status bad = ImportMetaGraphFile(g, dir / "bad.meta").status();
  EXPECT_EQ(bad.code(), Code::kDataLoss);
  EXPECT_THAT(bad.message(), HasSubstr(StrCat("Cannot parse file ", dir / "bad.meta")));
  ASSERT_TRUE(AtomicWriteFile(dir / "empty.meta", "").ok());
  EXPECT_THAT(ImportMetaGraphFile(g, dir / "empty.meta").status().message(), HasSubstr("is empty"));
}

// Each prefix of a valid file, and the file with each byte flipped, is read or rejected but never
// causes a crash.
TEST(MetaGraphTest, DamagedFilesAreReadOrRefused) {
  MetaGraphDef meta = VariableMeta();
  const std::string good = meta.SerializeAsString();
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    Graph g;
    if (!ImportMetaGraphBytes(g, std::string_view(good).substr(0, i)).ok()) {
      ++refused;
      EXPECT_EQ(g.num_operations(), 0);
    }
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    Graph h;
    if (!ImportMetaGraphBytes(h, flipped).ok()) {
      EXPECT_EQ(h.num_operations(), 0);
    }
  }
  EXPECT_GT(refused, static_cast<int>(good.size() / 2));
}

}  // namespace
}  // namespace ramet
