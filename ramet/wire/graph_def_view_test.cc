#include "ramet/wire/graph_def_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;

std::string Field(uint32_t number, std::string_view bytes) {
  std::string field;
  AppendBytesField(&field, number, bytes);
  return field;
}

std::string Entry(std::string_view name, const AttrValue& value) {
  return Field(5, Field(1, name) + Field(2, value.SerializeAsString()));
}

AttrValue Int(int64_t i) {
  AttrValue value;
  value.set_i(i);
  return value;
}

// Returns the message that the view represents.
NodeDef ToMessage(const NodeView& view) {
  NodeDef node;
  EXPECT_TRUE(node.ParseFromString(std::string(view.extras)));
  node.set_name(std::string(view.name));
  node.set_op(std::string(view.op));
  node.set_device(std::string(view.device));
  for (std::string_view input : view.inputs) node.add_input(std::string(input));
  for (const AttrView& attr : view.attrs) {
    AttrValue& value = (*node.mutable_attr())[std::string(attr.name)];
    EXPECT_TRUE(value.ParseFromString(std::string(attr.value)));
  }
  EXPECT_EQ(node.attr_size(), static_cast<int>(view.attrs.size())) << "a name is repeated";
  return node;
}

// Checks that the view equals the result of the protobuf parser.
void ExpectSameAsMessage(const std::string& bytes) {
  GraphDef expected;
  ASSERT_TRUE(expected.ParseFromString(bytes));
  auto view = GraphDefView::ParseBinary(bytes);
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  GraphDef seen = view->rest();
  for (const NodeView& node : view->nodes()) *seen.add_node() = ToMessage(node);
  EXPECT_EQ(CanonicalBytes(seen), CanonicalBytes(expected)) << expected.DebugString();
}

std::string Node(const std::string& fields) { return Field(1, fields); }

TEST(GraphDefView, ShowsWhatTheParserShows) {
  const std::string plain = Field(1, "n") + Field(2, "Op") + Field(3, "a") + Field(3, "^b");
  ExpectSameAsMessage("");
  ExpectSameAsMessage(Node(""));
  ExpectSameAsMessage(Node(plain + Field(4, "/cpu:0") + Entry("i", Int(7))) + Node(plain));
  // The last of several values wins.
  ExpectSameAsMessage(Node(plain + Field(1, "m") + Field(2, "Other") + Field(4, "d")));
  ExpectSameAsMessage(Node(Entry("i", Int(7)) + plain + Entry("j", Int(0)) + Entry("i", Int(8))));
  // Entries without a name, without a value, in reverse order, and with an unknown field.
  ExpectSameAsMessage(Node(Field(5, "") + Field(5, Field(1, "x")) + Field(5, Field(2, ""))));
  ExpectSameAsMessage(
      Node(Field(5, Field(2, Int(3).SerializeAsString()) + Field(9, "?") + Field(1, "x"))));
  // Known field numbers with wrong wire types are unknown fields; so are groups.
  ExpectSameAsMessage(Node("\x08\x05" + plain) + "\x08\x05" + Field(77, "later"));
  ExpectSameAsMessage(
      Node(plain + "\x7B\x08\x01\x7C" + Field(99, "u") + Entry("i", Int(1)) + Field(98, "v")));
  // Fields other than nodes may be anywhere, in pieces.
  VersionDef first, second;
  first.set_producer(3);
  second.set_min_consumer(2);
  ExpectSameAsMessage(Field(4, first.SerializeAsString()) + Node(plain) +
                      Field(4, second.SerializeAsString()) + Node(Field(1, "z")));
}

TEST(GraphDefView, ManyAttrsWithRepeatedNames) {
  std::string fields = Field(1, "n");
  for (int i = 0; i < 100; ++i) fields += Entry(StrCat("a", i * 37 % 50), Int(i));
  ExpectSameAsMessage(Node(fields) + Node(Field(1, "m") + Entry("b", Int(1))));
}

TEST(GraphDefView, ValueInPieces) {
  const std::string value = Int(3).SerializeAsString();
  auto bytes = Node(Field(5, Field(1, "x") + Field(2, value) + Field(2, value) + Field(2, "")));
  auto view = GraphDefView::ParseBinary(bytes);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->node(0).attrs[0].value, value + value);
}

TEST(GraphDefView, RejectsBytesThatAreNotAGraph) {
  for (const std::string& bytes :
       {std::string("\x0A\x05"), Node("\x0A\x7F"), Node(Field(2, "\xFF")), Node(Field(5, "\x0A")),
        Field(2, "\x0A\x7F")}) {
    EXPECT_TRUE(IsDataLoss(GraphDefView::Parse(bytes).status())) << bytes;
  }
}

TEST(GraphDefView, TextFormGivesTheSame) {
  auto view =
      GraphDefView::Parse("node { name: 'n' op: 'Op' input: 'a:1' } versions { producer: 5 }");
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  EXPECT_EQ(view->node(0).name, "n");
  EXPECT_THAT(view->node(0).inputs, ElementsAre("a:1"));
  EXPECT_EQ(view->rest().versions().producer(), 5);
}

TEST(MetaGraphView, GraphMayBeInPieces) {
  MetaGraphDef meta;
  meta.mutable_meta_info_def()->set_tensorflow_version("1.15");
  const std::string piece = Field(2, Node(Field(1, "a"))), other = Field(2, Node(Field(1, "b")));
  const std::string bytes = piece + meta.SerializeAsString() + other;
  auto view = MetaGraphView::Parse(bytes);
  ASSERT_TRUE(view.ok()) << view.status().ToString();
  ASSERT_EQ(view->graph.node_size(), 2);
  EXPECT_EQ(view->graph.node(1).name, "b");
  EXPECT_EQ(view->rest.meta_info_def().tensorflow_version(), "1.15");
  EXPECT_FALSE(view->rest.has_graph_def());
}

}  // namespace
}  // namespace ramet
