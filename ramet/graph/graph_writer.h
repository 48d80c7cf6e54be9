#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/graph/export_proto.h"

namespace ramet {

// A GraphWriter appends the nodes of one graph to a GraphDef in wire form, without a message of
// them in between; attrs that nodes share are turned into bytes once
// (docs/decisions/0040-graphs-in-wire-form.md). Borrows the graph, whose lock the caller holds, and
// the options. One thread.
class GraphWriter {
 public:
  GraphWriter(const GraphImpl& impl, const GraphWriterOptions& options)
      : impl_(impl), options_(options), whole_(options.scope.scope().empty()) {}

  // Over `*out`. \error as ExportGraphDef.
  Status Write(GraphBytes* out);
  // One node as a NodeDef. \error as ExportGraphDef.
  StatusOr<std::string> NodeBytes(NodeId id);

 private:
  // The attrs of a node in wire form: those before _output_shapes in the order of names, and from
  // there on.
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
  // In a graph they stand in the order of their names, as TensorFlow writes them; a node on its own
  // has them as they were added.
  std::span<const Endpoint> Controls(NodeId id);
  void WriteInput(Endpoint e);
  Status WriteAttrs(const NodeRecord& node);
  // Into originals_.
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
  const bool whole_;  // no scope: names are written as they are
  GraphBytes* out_ = nullptr;
  // Reused from node to node.
  std::string node_, text_, list_, shape_;
  std::vector<Endpoint> controls_;
  AttrValue value_;
  NodeDef originals_;  // of the node's attrs
  std::unordered_map<AttrKey, AttrBytes, AttrKeyHash> known_;
};

}  // namespace ramet
