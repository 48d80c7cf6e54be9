#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/graph/graph_impl.h"
#include "ramet/graph_def/export_scope.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

struct GraphWriterOptions {
  GraphDefOptions def = {};
  ExportScope scope{""};
  const std::unordered_set<std::string>* exclude = nullptr;  // names of nodes to leave out
};

// A graph that has been written.
struct GraphBytes {
  std::string bytes;                  // a GraphDef
  std::unordered_set<const Op*> ops;  // of the nodes
  FunctionDefLibrary library;
  // One "$unbound_inputs_n" per input from outside the scope, in each place where it is used.
  std::vector<std::string> unbound;
};

// A GraphWriter appends the nodes of a graph to a GraphDef in wire format without building messages
// for them. Attrs that nodes share are serialized once
// (docs/decisions/0040-graphs-in-wire-form.md). Borrows the options and the graph, whose lock the
// caller holds. Not thread-safe.
class GraphWriter {
 public:
  GraphWriter(const GraphImpl& impl, const GraphWriterOptions& options)
      : impl_(impl), options_(options), whole_(options.scope.scope().empty()) {}

  // Writes the graph to `*out`. Errors are those of ExportGraphDef.
  Status Write(GraphBytes* out);
  // Returns one node as a NodeDef. Errors are those of ExportGraphDef.
  StatusOr<std::string> NodeBytes(NodeId id);

 private:
  // The attrs of a node in wire format, sorted by name and split at the position of _output_shapes.
  struct AttrBytes {
    std::string before, after;
  };
  struct AttrKey {
    const AttrMap* attrs;
    const Op* op;
    bool operator==(const AttrKey&) const = default;
  };
  struct AttrKeyHash {
    size_t operator()(const AttrKey& key) const {
      return std::hash<const void*>()(key.attrs) ^ (std::hash<const void*>()(key.op) << 1);
    }
  };

  bool Includes(std::string_view name) const;
  Status WriteNodes();
  Status WriteRest();
  Status WriteNode(NodeId id);
  // Returns the control inputs: sorted by name within a graph, as TensorFlow writes them, and in
  // the order of addition for a single node.
  std::span<const Endpoint> Controls(NodeId id);
  void WriteInput(Endpoint e);
  Status WriteAttrs(const NodeRecord& node);
  // Parses into originals_.
  void ReadOriginals(const NodeRecord& node);
  Status AppendAttrs(const NodeRecord& node, bool before, std::string* bytes);
  Status AppendAttr(const NodeRecord& node, const std::string& name, const Attr& attr,
                    std::string* bytes);
  bool TakeOriginal(const std::string& name, const Attr& attr);
  Status ScopedAttrToProto(const NodeRecord& node, const std::string& name, const Attr& attr);
  bool HasShapes(const NodeRecord& node) const {
    return options_.def.add_shapes && node.num_outputs > 0;
  }
  void AppendShapes(const NodeRecord& node);

  const GraphImpl& impl_;
  const GraphWriterOptions& options_;
  const bool whole_;  // there is no scope, so names are written unchanged
  GraphBytes* out_ = nullptr;
  // Buffers reused for each node.
  std::string node_, text_, list_, shape_;
  std::vector<Endpoint> controls_;
  AttrValue value_;
  NodeDef originals_;  // of the node's attrs
  std::unordered_map<AttrKey, AttrBytes, AttrKeyHash> known_;
};

}  // namespace ramet
