// Tests attrs that determine the number of inputs and outputs of a node. Hostile counts are
// rejected when a node is added, and memory stays proportional to the file.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <limits>

#include "ramet/graph/graph.h"
#include "ramet/graph/node_build.h"
#include "ramet/graph_def/import_testing.h"
#include "ramet/graph_def/meta_graph.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using testing::Node;
using testing::Placeholder;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

// Two lists of N inputs, like DynamicStitch.
OpSchema Stitch() {
  OpSchema schema;
  schema.name = "Stitch";
  for (const char* attr : {"N: int >= 1", "T: type"}) {
    schema.attrs.push_back(ParseAttrSchema(attr).value());
  }
  for (const char* arg : {"indices: N * int32", "data: N * T"}) {
    schema.inputs.push_back(ParseArg(arg, schema.attrs).value());
  }
  return schema;
}

TEST(CountAttrTest, SumsOfCountsDoNotWrap) {
  const std::vector<std::pair<int64_t, int>> counts = {
      {kMin + 1, 2},         {kMin, 0},
      {kMin + 2, 4},         {-1, 0},
      {int64_t{1} << 31, 2}, {(int64_t{1} << 32) + 1, 2},
      {int64_t{1} << 62, 0}, {kGreatest, 0},
      {kGreatest, 2}};
  for (const auto& [n, inputs] : counts) {
    const auto split = SplitInputs(Stitch(), inputs, {{"N", n}});
    EXPECT_TRUE(IsInvalidArgument(split.status())) << n;
  }
  EXPECT_THAT(SplitInputs(Stitch(), 4, {{"N", 2}}).value(), ::testing::ElementsAre(2, 2));
}

TEST(CountAttrTest, AllArgumentsTogetherAreLimited) {
  OpSchema schema;
  schema.attrs.push_back(ParseAttrSchema("T: list(type)").value());
  for (const char* arg : {"a: T", "b: T", "c: T"}) {
    schema.outputs.push_back(ParseArg(arg, schema.attrs).value());
  }
  const auto expand = [&](size_t n) {
    return schema.Expand(schema.outputs, {{"T", std::vector<DType>(n, DType::kFloat)}});
  };
  EXPECT_EQ(expand(300'000).value().size(), 900'000);
  EXPECT_TRUE(IsInvalidArgument(expand(400'000).status()));
}

// A meta graph with a node 'a' of an op that is defined only by the graph's stripped_op_list.
MetaGraphDef Strange(const std::string& op, const std::string& node) {
  MetaGraphDef meta;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat("graph_def { ", Placeholder("x"), node,
             " } meta_info_def { stripped_op_list { op { name: 'Strange' ", op, " } } }"),
      &meta));
  return meta;
}

TEST(CountAttrTest, OpsOfTheFileCannotMultiplyTheirAttrs) {
  std::string outputs, types;
  for (int i = 0; i < 300; ++i)
    outputs += StrCat("output_arg { name: 'o", i, "' type_list_attr: 'N' } ");
  for (int i = 0; i < 10'000; ++i) types += "type: DT_FLOAT ";
  const MetaGraphDef meta = Strange(
      outputs + "attr { name: 'N' type: 'list(type)' }",
      Node("a", "Strange", {}, "", StrCat("attr { key: 'N' value { list { ", types, "} } }")));
  Graph g;
  const Status status = ImportMetaGraphBytes(g, meta.SerializeAsString()).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("at most 1000000"));
  EXPECT_EQ(g.num_operations(), 0);
}

TEST(CountAttrTest, ManyMissingInputsAreRejectedEarly) {
  const MetaGraphDef meta = Strange(
      "input_arg { name: 'i' type: DT_FLOAT number_attr: 'N' } attr { name: 'N' type: 'int' }",
      Node("a", "Strange", {"x"}, "", "attr { key: 'N' value { i: 1000000 } }"));
  Graph g;
  const Status status = ImportMetaGraphBytes(g, meta.SerializeAsString()).status();
  EXPECT_THAT(status.message(), HasSubstr("expected 1000000 inputs but has 1"));
}

// No code here reads the attrs of such an op, so any int is legal.
TEST(CountAttrTest, OpsOfTheFileMayHaveLargeInts) {
  const MetaGraphDef meta =
      Strange("attr { name: 'k' type: 'int' }",
              Node("a", "Strange", {}, "", StrCat("attr { key: 'k' value { i: ", kMin, " } }")));
  Graph g;
  ASSERT_TRUE(ImportMetaGraphBytes(g, meta.SerializeAsString()).ok());
  EXPECT_EQ(g.FindOperation("a")->attr<int64_t>("k").value(), kMin);
}

TEST(CountAttrTest, ChangingAnAttrCannotChangeInputsAndOutputs) {
  const MetaGraphDef meta = Strange(
      "output_arg { name: 'o' type_attr: 'T' number_attr: 'N' } attr { name: 'N' type: 'int' } "
      "attr { name: 'T' type: 'type' } attr { name: 'k' type: 'int' }",
      Node("a", "Strange", {}, "T",
           "attr { key: 'N' value { i: 2 } } attr { key: 'k' value { i: 2 } }"));
  Graph g;
  ASSERT_TRUE(ImportMetaGraphBytes(g, meta.SerializeAsString()).ok());
  const Operation a = *g.FindOperation("a");
  EXPECT_TRUE(IsInvalidArgument(g.SetAttr(a, "N", int64_t{3})));
  EXPECT_TRUE(IsInvalidArgument(g.SetAttr(a, "T", DType::kInt64)));
  EXPECT_EQ(a.attr<int64_t>("N").value(), 2);
  EXPECT_TRUE(g.SetAttr(a, "k", int64_t{3}).ok());
}

}  // namespace
}  // namespace ramet
