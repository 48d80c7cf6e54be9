#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/device_list.h"
#include "ramet/graph/graph.h"
#include "ramet/graph/node_names.h"

namespace ramet {

// The producing end of an edge: output `index` of a node, or kControl for a control dependency.
struct Endpoint {
  static constexpr int32_t kControl = -1;
  NodeId node;
  int32_t index;
  bool operator==(const Endpoint&) const = default;
};

// Returns a number that is different for each endpoint.
inline uint64_t EndpointKey(Endpoint e) {
  return uint64_t{static_cast<uint32_t>(e.node)} << 32 | static_cast<uint32_t>(e.index);
}

// A node. Its inputs are edges[first_edge, +num_inputs), its control inputs the next num_controls
// edges, and its outputs outputs[first_output, +num_outputs).
struct NodeRecord {
  std::string_view name;
  const Op* op;
  std::shared_ptr<const AttrMap> attrs;
  int32_t device;  // in GraphNodes::devices
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

// The nodes of a graph and their edges, in contiguous arrays.
struct GraphNodes {
  std::vector<NodeRecord> nodes;
  std::vector<Endpoint> edges;
  std::vector<OutputRecord> outputs;
  DeviceList devices;
  NodeNames node_names;

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

// The contents of a graph. Layers above graph_def read them through GraphDataOf, to walk the whole
// graph without a call per element, and hold `mutex` shared. Only edits in place change them
// (edit_graph.h).
struct GraphData : GraphNodes {
  mutable SharedMutex mutex;
  Collections collections;
  std::vector<VariableRecord> variables;
  // The files that constants stand for; see SetAssetPath.
  std::unordered_map<NodeId, std::string> asset_paths;
  GraphVersions versions;
  BuildState build_state;
  Status status;
  bool finalized = false;
  int64_t edit_version = 0;
};

const GraphData& GraphDataOf(const Graph& graph);

}  // namespace ramet
