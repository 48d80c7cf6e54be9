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

// One attr of a node. Its value is an unparsed AttrValue in wire format.
struct AttrView {
  std::string_view name;
  std::string_view value;
};

// A NodeDef in wire format.
struct NodeView {
  std::string_view name, op, device;
  std::string_view extras;  // all fields except name, op, input, device and attr
  std::span<const std::string_view> inputs;
  std::span<const AttrView> attrs;  // names are unique
};

// A GraphDefView is a GraphDef whose nodes stay in wire format. The attrs of most nodes equal those
// of another node byte for byte, and comparing them does not require parsing
// (docs/decisions/0040-graphs-in-wire-form.md). Immutable.
class GraphDefView {
 public:
  // Parses the binary form and borrows it. The contents of attrs are not checked until they are
  // read.
  // \error kDataLoss: the bytes are not a GraphDef.
  static StatusOr<GraphDefView> ParseBinary(std::string_view bytes);
  // Parses the binary form, which it borrows, or the text form. Errors are those of ParseMessage
  // (message_file.h).
  static StatusOr<GraphDefView> Parse(std::string_view bytes);
  static StatusOr<GraphDefView> FromMessage(const GraphDef& def);

  GraphDefView(GraphDefView&&) = default;
  GraphDefView& operator=(GraphDefView&&) = default;

  int node_size() const { return static_cast<int>(nodes_.size()); }
  const NodeView& node(int i) const { return nodes_[static_cast<size_t>(i)]; }
  const std::vector<NodeView>& nodes() const { return nodes_; }
  // Everything except the nodes.
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
  // Returns `a` followed by `b`, stored in owned_.
  std::string_view Join(std::string_view a, std::string_view b);

  std::vector<NodeView> nodes_;
  std::vector<std::string_view> inputs_;
  std::vector<AttrView> attrs_;
  std::deque<std::string> owned_;  // text that is not contiguous in the input
  GraphDef rest_;
  size_t bytes_ = 0;
};

// A MetaGraphDef whose graph is a view.
struct MetaGraphView {
  // Like the functions of GraphDefView.
  static StatusOr<MetaGraphView> Parse(std::string_view bytes);
  static StatusOr<MetaGraphView> FromMessage(MetaGraphDef meta);

  MetaGraphDef rest;  // everything except the graph
  GraphDefView graph;
};

}  // namespace ramet
