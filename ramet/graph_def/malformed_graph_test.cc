// Tests hostile graphs and meta graphs. Each is rejected quickly, with a typed error that names the
// node or the collection and without memory beyond its own size, and the graph does not change.
// Graphs that are odd but legal are accepted.

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/meta_graph.pb.h"
#include "ramet/proto/variable.pb.h"

namespace ramet {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::Node;
using testing::Placeholder;

constexpr long kMaxKilobytes = 64 * 1024;
constexpr std::chrono::seconds kMaxSeconds{20};

long PeakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Runs `import`, which must use little time and memory.
template <class Import>
Status Quickly(Import import) {
  const long before = PeakKilobytes();
  const auto start = std::chrono::steady_clock::now();
  Status status = import();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kMaxSeconds);
  EXPECT_LT(PeakKilobytes() - before, kMaxKilobytes);
  return status;
}

struct Hostile {
  const char* what;
  std::string graph;  // a GraphDef in text form
  std::string names;  // expected part of the message
};

void PrintTo(const Hostile& hostile, std::ostream* os) { *os << hostile.what; }

std::string Const(const std::string& tensor, const std::string& dtype = "DT_FLOAT") {
  return Node("k", "Const", {}, "",
              StrCat("attr { key: 'dtype' value { type: ", dtype,
                     " } } attr { key: 'value' value { tensor { ", tensor, " } } }"));
}

std::string Dims(std::initializer_list<int64_t> dims) {
  std::string text = "tensor_shape { ";
  for (int64_t d : dims) text += StrCat("dim { size: ", d, " } ");
  return text + "} ";
}

std::string VariableOf(std::initializer_list<int64_t> dims) {
  std::string shape = Dims(dims);
  shape = shape.substr(shape.find('{'));
  return Node("v", "VariableV2", {}, "dtype",
              StrCat("attr { key: 'shape' value { shape ", shape, " } }"));
}

std::string Merge(const std::string& count) {
  return Placeholder("x") +
         Node("m", "Merge", {"x"}, "T", StrCat("attr { key: 'N' value { i: ", count, " } }"));
}

constexpr int64_t kHuge = int64_t{1} << 62;

std::vector<Hostile> HostileGraphs() {
  return {
      {"self_control", Node("a", "NoOp", {"^a"}), "'a'"},
      {"mixed_cycle",
       Node("a", "Identity", {"b"}, "T") + Node("b", "Identity", {"c"}, "T") +
           Node("c", "Placeholder", {"^a"}, "dtype"),
       "3 nodes in a cycle"},
      {"port_of_a_node_without_outputs", Node("n", "NoOp", {}) + Node("b", "Identity", {"n"}, "T"),
       "Node 'b'"},
      {"port_too_large", Placeholder("a") + Node("b", "Identity", {"a:7"}, "T"), "Node 'b'"},
      {"empty_input", Node("b", "Identity", {""}, "T"), "Node 'b'"},
      {"bare_caret", Node("b", "NoOp", {"^"}), "Node 'b'"},
      {"name_with_newline", Node("a\\nb", "NoOp", {}), "invalid characters"},
      {"no_op_name", Node("b", "", {}), "b}}"},
      {"const_content_short", Const("dtype: DT_FLOAT tensor_content: 'abc' " + Dims({2})), "k}}"},
      {"const_content_long", Const("dtype: DT_FLOAT tensor_content: '0123456789ab' " + Dims({2})),
       "k}}"},
      {"const_many_elements", Const("dtype: DT_FLOAT float_val: 1 " + Dims({int64_t{1} << 40})),
       "k}}"},
      {"const_many_strings", Const("dtype: DT_STRING " + Dims({int64_t{1} << 40}), "DT_STRING"),
       "k}}"},
      {"const_overflow", Const("dtype: DT_FLOAT " + Dims({kHuge, 8})), "k}}"},
      {"const_negative", Const("dtype: DT_FLOAT " + Dims({-7})), "k}}"},
      {"const_unknown_dim", Const("dtype: DT_FLOAT " + Dims({-1})), "k}}"},
      {"const_deep_rank",
       Const("dtype: DT_FLOAT tensor_shape { " +
             [] {
               std::string dims;
               for (int i = 0; i < 300; ++i) dims += "dim { size: 1 } ";
               return dims;
             }() +
             "}"),
       "k}}"},
      {"variable_negative", VariableOf({-5}), "v}}"},
      {"variable_overflow", VariableOf({kHuge, kHuge}), "v}}"},
      {"count_negative", Merge("-1"), "m}}"},
      {"count_huge", Merge("1099511627776"), "m}}"},
      {"function_twice",
       "library { function { signature { name: 'F' } } function { signature { name: 'F' "
       "is_stateful: true } } }",
       "function 'F'"},
  };
}

class HostileGraphTest : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileGraphTest, IsRefusedAndChangesNothing) {
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, Placeholder("before")).ok());
  const std::string before = ExportGraphDef(g).value();
  const Status status = Quickly([&] {
    return ImportGraphDef(g, GetParam().graph, {.name = "", .producer_op_list = testing::LoopOps()})
        .status();
  });
  EXPECT_THAT(status.code(), AnyOf(Code::kInvalidArgument, Code::kResourceExhausted))
      << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr(GetParam().names));
  EXPECT_EQ(ExportGraphDef(g).value(), before);
}

INSTANTIATE_TEST_SUITE_P(Classes, HostileGraphTest, ::testing::ValuesIn(HostileGraphs()),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(OddGraphTest, ConstantsWithTooFewValuesRepeatTheLast) {
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, Const("dtype: DT_FLOAT float_val: [1, 2] " + Dims({4}))).ok());
  auto value = g.FindOperation("import/k")->attr<Tensor>("value");
  EXPECT_THAT(value->flat<float>(), ::testing::ElementsAre(1, 2, 2, 2));
}

TEST(OddGraphTest, FunctionsThatCallThemselvesAndEachOther) {
  const std::string library =
      "library { function { signature { name: 'F' } node_def { name: 'f' op: 'F' } }"
      "          function { signature { name: 'G' } node_def { name: 'h' op: 'H' } }"
      "          function { signature { name: 'H' } node_def { name: 'g' op: 'G' } } }";
  Graph g;
  EXPECT_TRUE(ImportGraphDef(g, Node("call", "F", {}) + library).ok());
  EXPECT_TRUE(ExportMetaGraph(g).ok());
}

TEST(OddGraphTest, FramesInsideFramesAndAnExitWithoutEnter) {
  std::string file = Placeholder("x");
  std::string last = "x";
  for (int i = 0; i < 64; ++i) {
    const std::string name = StrCat("enter", i);
    file += Node(name, "Enter", {last}, "T",
                 StrCat("attr { key: 'frame_name' value { s: 'f", i, "' } }"));
    last = name;
  }
  Graph g;
  EXPECT_TRUE(ImportGraphDef(g, file + Node("exit", "Exit", {"x"}, "T"),
                             {.producer_op_list = testing::LoopOps()})
                  .ok());
}

// Returns the bytes of attrs and functions nested `levels` deep.
std::string NestedAttr(int levels) {
  auto field = [](char tag, const std::string& content) {
    std::string bytes(1, tag);
    size_t length = content.size();
    for (; length >= 128; length >>= 7) bytes.push_back(static_cast<char>(length | 128));
    bytes.push_back(static_cast<char>(length));
    return bytes + content;
  };
  std::string value = "\x18\x01";
  for (int i = 0; i < levels; ++i) {
    const std::string entry = field('\x0a', "a") + field('\x12', value);
    value = field('\x52', field('\x0a', "F") + field('\x12', entry));
  }
  const std::string entry = field('\x0a', "a") + field('\x12', value);
  return field('\x0a', field('\x0a', "n") + field('\x12', "NoOp") + field('\x2a', entry));
}

TEST(OddGraphTest, DeepNestingIsRejectedBeforeTheStackOverflows) {
  Graph g;
  EXPECT_TRUE(ImportGraphDef(g, NestedAttr(20)).ok());
  const std::string deep = NestedAttr(10'000);
  const Status status = Quickly([&] { return ImportGraphDef(g, deep).status(); });
  EXPECT_EQ(status.code(), Code::kDataLoss);
}

TEST(OddGraphTest, DeepNestingInTextFormIsRejectedBeforeTheStackOverflows) {
  constexpr int kLevels = 100'000;
  std::string deep = "node { name: 'n' op: 'NoOp' attr { key: 'a' value { ";
  for (int i = 0; i < kLevels; ++i) deep += "func { attr { key: 'a' value { ";
  deep += "i: 1";
  for (int i = 0; i < kLevels; ++i) deep += " } } }";
  deep += " } } }";
  Graph g;
  const Status status = Quickly([&] { return ImportGraphDef(g, deep).status(); });
  EXPECT_EQ(status.code(), Code::kDataLoss);
}

TEST(OddGraphTest, ALargeUnknownFieldSurvives) {
  GraphDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(Placeholder("a"), &def));
  const std::string ten_megabytes(10 << 20, 'x');
  def.GetReflection()->MutableUnknownFields(&def)->AddLengthDelimited(1000, ten_megabytes);
  Graph g;
  ASSERT_TRUE(ImportGraphDef(g, def.SerializeAsString()).ok());
  GraphDef written;
  ASSERT_TRUE(written.ParseFromString(ExportGraphDef(g).value()));
  const auto& unknown = written.GetReflection()->GetUnknownFields(written);
  ASSERT_EQ(unknown.field_count(), 1);
  EXPECT_EQ(unknown.field(0).length_delimited(), ten_megabytes);
}

class HostileMetaTest : public ::testing::Test {
 protected:
  HostileMetaTest() {
    meta_.mutable_graph_def();
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        Placeholder("v") + Placeholder("v/read") + Node("v/Assign", "NoOp", {}),
        meta_.mutable_graph_def()));
  }

  void AddVariable(const VariableDef& variable) {
    (*meta_.mutable_collection_def())["variables"].mutable_bytes_list()->add_value(
        variable.SerializeAsString());
  }
  static VariableDef GoodVariable() {
    VariableDef v;
    v.set_variable_name("v:0");
    v.set_initializer_name("v/Assign");
    v.set_snapshot_name("v/read:0");
    return v;
  }
  // Returns the error. The graph must still be empty.
  Status Refused() {
    Graph g;
    const Status status =
        Quickly([&] { return ImportMetaGraphBytes(g, meta_.SerializeAsString()).status(); });
    EXPECT_EQ(g.num_operations(), 0);
    EXPECT_TRUE(g.collections().Keys().empty());
    return status;
  }

  MetaGraphDef meta_;
};

TEST_F(HostileMetaTest, VariablesWithoutTheirNodes) {
  VariableDef v = GoodVariable();
  v.set_initializer_name("v/init");
  AddVariable(v);
  Status status = Refused();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(status.message(),
              HasSubstr("collection 'variables': variable 'v:0': The name 'v/init'"));
}

TEST_F(HostileMetaTest, CollectionsOfMissingNodes) {
  (*meta_.mutable_collection_def())["losses"].mutable_node_list()->add_value("absent:0");
  EXPECT_THAT(Refused().message(), HasSubstr("collection 'losses': The name 'absent:0'"));
}

TEST_F(HostileMetaTest, SlicesOutsideOfTheirVariable) {
  VariableDef v = GoodVariable();
  auto* slice = v.mutable_save_slice_info_def();
  slice->add_full_shape(4);
  slice->add_var_offset(std::numeric_limits<int64_t>::max());
  slice->add_var_shape(2);
  AddVariable(v);
  EXPECT_EQ(Refused().code(), Code::kInvalidArgument);
}

TEST_F(HostileMetaTest, MalformedMessages) {
  (*meta_.mutable_collection_def())["while_context"].mutable_bytes_list()->add_value("\x0a\x7f x");
  Status status = Refused();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("collection 'while_context'"));
}

TEST_F(HostileMetaTest, SaverWithoutNodesIsReportedButNotRun) {
  meta_.mutable_saver_def()->set_restore_op_name("save/restore_all");
  Graph g;
  auto info = ImportMetaGraphBytes(g, meta_.SerializeAsString());
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->saver->restore_op_name, "save/restore_all");
}

TEST_F(HostileMetaTest, EveryByteFlipped) {
  AddVariable(GoodVariable());
  const std::string good = meta_.SerializeAsString();
  for (size_t i = 0; i < good.size(); ++i) {
    for (unsigned char bit = 1; bit != 0; bit = static_cast<unsigned char>(bit << 1)) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ bit);
      Graph g;
      auto info = ImportMetaGraphBytes(g, bad);
      EXPECT_TRUE(info.ok() || g.num_operations() == 0) << info.status().ToString();
    }
  }
}

TEST_F(HostileMetaTest, EveryTruncation) {
  AddVariable(GoodVariable());
  const std::string good = meta_.SerializeAsString();
  for (size_t size = 0; size < good.size(); ++size) {
    Graph g;
    (void)ImportMetaGraphBytes(g, std::string_view(good).substr(0, size));
  }
}

}  // namespace
}  // namespace ramet
