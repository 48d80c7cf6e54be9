#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// The nodes that an import appends to a graph, in creation order; i counts from the first of them.
// The destructor removes them unless Keep has been called. The graph's lock is held during use.
class AppendedNodes {
 public:
  explicit AppendedNodes(GraphImpl& impl)
      : impl_(impl),
        base_(static_cast<NodeId>(impl.nodes.size())),
        edges_before_(impl.edges.size()),
        outputs_before_(impl.outputs.size()),
        names_before_(impl.names.size()) {}
  ~AppendedNodes();
  AppendedNodes(const AppendedNodes&) = delete;
  AppendedNodes& operator=(const AppendedNodes&) = delete;

  void Keep() { kept_ = true; }

  // Adds the edges of all nodes, which the nodes refer to by their positions in `edges`, and
  // reserves space for the nodes and for names of `name_bytes` bytes together.
  void AddEdges(const std::vector<Endpoint>& edges, size_t nodes, size_t name_bytes);
  // Adds a node without inputs or outputs. AddEdges must have reserved the space of its name.
  NodeRecord& AddNode(std::string_view name);
  // Adds outputs of unknown shape to the last node.
  void AddOutputs(const std::vector<DType>& types);

  GraphImpl& impl() { return impl_; }
  const GraphImpl& impl() const { return impl_; }
  // The id of the first new node.
  NodeId base() const { return base_; }
  NodeRecord& record(int32_t i) { return impl_.nodes[base_ + i]; }
  const NodeRecord& record(int32_t i) const { return impl_.nodes[base_ + i]; }
  // The position in the graph of an edge of AddEdges.
  int32_t edge(int32_t position) const { return static_cast<int32_t>(edges_before_) + position; }
  size_t num_outputs() const { return impl_.outputs.size() - outputs_before_; }

 private:
  GraphImpl& impl_;
  const NodeId base_;
  const size_t edges_before_, outputs_before_, names_before_;
  bool kept_ = false;
};

}  // namespace ramet
