#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/base/wire_format.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

// One attr of a node; its value is an AttrValue in wire form, not looked at yet.
struct AttrView {
  std::string_view name;
  std::string_view value;
};

// A NodeDef in wire form.
struct NodeView {
  std::string_view name, op, device;
  std::string_view extras;  // the fields that are none of name, op, input, device and attr
  std::span<const std::string_view> inputs;
  std::span<const AttrView> attrs;  // each name once
};

// A GraphDefView is a GraphDef whose nodes are left in wire form: the attrs of most nodes are, byte
// for byte, those of another, and need not become messages for that to be seen
// (docs/decisions/0040-graphs-in-wire-form.md). Immutable.
class GraphDefView {
 public:
  // Of the binary form, which it borrows.
  // \error kDataLoss if the bytes are no GraphDef as far as they are looked at: what is wrong
  //   inside an attr shows when that is read.
  static StatusOr<GraphDefView> ParseBinary(std::string_view bytes);
  // Of binary form, which it borrows, or of text form. \error as ParseMessage (message_file.h).
  static StatusOr<GraphDefView> Parse(std::string_view bytes);
  static StatusOr<GraphDefView> FromMessage(const GraphDef& def);

  GraphDefView(GraphDefView&&) = default;
  GraphDefView& operator=(GraphDefView&&) = default;

  int node_size() const { return static_cast<int>(nodes_.size()); }
  const NodeView& node(int i) const { return nodes_[static_cast<size_t>(i)]; }
  const std::vector<NodeView>& nodes() const { return nodes_; }
  // All but the nodes.
  const GraphDef& rest() const { return rest_; }
  // The size of the binary form.
  size_t bytes() const { return bytes_; }

 private:
  GraphDefView() = default;
  static StatusOr<GraphDefView> Own(std::string bytes);
  Status Read(std::string_view bytes);
  bool ReadNode(std::string_view bytes);
  bool ReadNodeField(const WireField& field, size_t first_attr, NodeView* node,
                     std::string* extras);
  bool ReadAttr(std::string_view bytes, size_t first_attr);
  void AddAttr(const AttrView& attr, size_t first_attr);
  void KeepLastOfEachName(size_t first_attr);
  void PointToLists();
  // The two in one piece, which lies in owned_.
  std::string_view Join(std::string_view a, std::string_view b);

  std::vector<NodeView> nodes_;
  std::vector<std::string_view> inputs_;
  std::vector<AttrView> attrs_;
  std::deque<std::string> owned_;  // text that stands nowhere in the bytes given
  GraphDef rest_;
  size_t bytes_ = 0;
};

// A MetaGraphDef whose graph is a view.
struct MetaGraphView {
  // As those of GraphDefView.
  static StatusOr<MetaGraphView> Parse(std::string_view bytes);
  static StatusOr<MetaGraphView> FromMessage(MetaGraphDef meta);

  MetaGraphDef rest;  // all but the graph
  GraphDefView graph;
};

}  // namespace ramet
