#include "ramet/graph/node_names.h"

#include <gtest/gtest.h>

#include <deque>

#include "ramet/graph/graph_impl.h"

namespace ramet {
namespace {

class NodeNamesTest : public ::testing::Test {
 protected:
  void Append(const std::string& name) {
    NodeRecord node{};
    node.name = texts_.emplace_back(name);
    nodes_.push_back(node);
  }
  std::deque<std::string> texts_;
  std::vector<NodeRecord> nodes_;
  NodeNames names_;
};

TEST_F(NodeNamesTest, ManyAreFoundAndRemoved) {
  constexpr int kNodes = 1000;
  for (int i = 0; i < kNodes; ++i) Append(StrCat("scope/node_", i));
  names_.Add(nodes_, 0);
  names_.AddFrom(nodes_, 1);
  EXPECT_EQ(names_.size(), static_cast<size_t>(kNodes));
  for (int i = 0; i < kNodes; ++i) EXPECT_EQ(names_.Find(nodes_, nodes_[i].name), i);
  for (int i = 0; i < kNodes; i += 2) names_.Remove(nodes_, i);
  for (int i = 0; i < kNodes; ++i) {
    EXPECT_EQ(names_.Find(nodes_, nodes_[i].name), i % 2 == 0 ? -1 : i);
  }
}

TEST_F(NodeNamesTest, FirstOfTwoEqualNamesStays) {
  for (const char* name : {"a", "b", "a", "b"}) Append(name);
  names_.AddFrom(nodes_, 1);
  EXPECT_EQ(names_.size(), 2u);
  EXPECT_EQ(names_.Find(nodes_, "a"), 2);
  EXPECT_EQ(names_.Find(nodes_, "b"), 1);
  names_.Remove(nodes_, 3);
  EXPECT_EQ(names_.Find(nodes_, "b"), 1) << "a different node has the name";
}

}  // namespace
}  // namespace ramet
