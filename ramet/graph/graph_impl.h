#pragma once

#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/graph/build_state.h"
#include "ramet/graph/graph.h"
#include "ramet/graph/node_names.h"

namespace ramet {

class FunctionLibrary;

// The producing end of an edge: output `index` of a node, or kControl for a control dependency.
struct Endpoint {
  static constexpr int32_t kControl = -1;
  NodeId node;
  int32_t index;
  bool operator==(const Endpoint&) const = default;
};

// A node. Its inputs are edges[first_edge, +num_inputs), its control inputs the next num_controls
// edges, and its outputs outputs[first_output, +num_outputs).
struct NodeRecord {
  std::string_view name;
  const Op* op;
  std::shared_ptr<const AttrMap> attrs;
  int32_t device;  // position in GraphImpl::devices
  int32_t first_edge;
  int32_t num_inputs;
  int32_t num_controls;
  int32_t first_output;
  int32_t num_outputs;
};

struct OutputRecord {
  DType dtype;
  Shape shape;
};

// The storage of a Graph, for layers that walk the whole graph. Readers hold `mutex` shared.
struct GraphImpl {
  mutable std::shared_mutex mutex;
  std::vector<NodeRecord> nodes;
  std::vector<Endpoint> edges;
  std::vector<OutputRecord> outputs;
  std::deque<std::string> names;
  std::vector<std::string> devices = {""};
  std::unordered_map<std::string, int32_t> device_ids = {{"", 0}};
  NodeNames node_names;
  std::unordered_map<std::string, std::unique_ptr<Op>> foreign_ops;
  Collections collections;
  std::vector<VariableRecord> variables;
  GraphVersions versions;
  // Graphs of function bodies share the library of the graph that they were made for.
  std::shared_ptr<FunctionLibrary> library;
  bool owns_library = true;
  BuildState build_state;
  Status status;
  bool finalized = false;
  int64_t edit_version = 0;
  int64_t seed_counter = 0;
  bool has_seed = false;
  int64_t seed = 0;

  // The node of this name, or -1.
  NodeId FindNode(std::string_view name) const { return node_names.Find(nodes, name); }
  std::span<const Endpoint> inputs(NodeId id) const {
    const NodeRecord& n = nodes[id];
    return {edges.data() + n.first_edge, static_cast<size_t>(n.num_inputs)};
  }
  std::span<const Endpoint> controls(NodeId id) const {
    const NodeRecord& n = nodes[id];
    return {edges.data() + n.first_edge + n.num_inputs, static_cast<size_t>(n.num_controls)};
  }
  const OutputRecord& output(Endpoint e) const {
    return outputs[nodes[e.node].first_output + e.index];
  }
  OutputRecord& output(Endpoint e) { return outputs[nodes[e.node].first_output + e.index]; }
};

}  // namespace ramet
