#pragma once

#include <string>
#include <vector>

#include "ramet/graph_def/appended_nodes.h"
#include "ramet/graph_def/import_attrs.h"
#include "ramet/graph_def/import_edges.h"
#include "ramet/graph_def/import_names.h"
#include "ramet/graph_def/import_ops.h"

namespace ramet {

// The new nodes of one import in creation order, with what the file says about each; i counts from
// the first of them. Borrows the view, the op list and the names of elements.
class ImportNodes {
 public:
  // `return_elements` names elements of the file that the import returns. An op without a
  // definition has at least the outputs among them.
  ImportNodes(GraphImpl& impl, const GraphDefView& def, const OpList& producer_ops,
              const std::vector<std::string>& return_elements);

  // Gives the nodes their names in the graph.
  // \error kInvalidArgument: a name is illegal or repeated.
  Status ReadNames(const std::string& prefix) { return names_.Init(impl(), def_, prefix); }
  // Appends the nodes, with outputs of unknown shape, to the graph. Destroying this object before
  // Keep removes them. Errors are those of ImportGraphDef about edges, ops and attrs.
  Status Append(InputRemap* remap);
  // Checks the dtypes of all inputs, and gives outputs of unknown dtype that of their readers.
  // \error kInvalidArgument: the number or dtypes of inputs do not match, or an input's node lacks
  //   that output.
  Status CheckInputs();
  // Keeps the nodes and moves the definitions of their ops to the graph.
  void Keep();

  int32_t size() const { return def_.node_size(); }
  const GraphDefView& file() const { return def_; }
  const NodeView& def(int32_t i) const { return def_.node(edges_.position(i)); }
  const ImportedAttrs& attrs(int32_t i) const { return node_attrs_[i]; }
  NodeRecord& record(int32_t i) { return appended_.record(i); }
  const NodeRecord& record(int32_t i) const { return appended_.record(i); }
  NodeId id(int32_t i) const { return appended_.base() + i; }
  GraphImpl& impl() { return appended_.impl(); }
  // Returns the node of this name in the file, or -1.
  int32_t FindInFile(std::string_view name) const {
    const int32_t position = names_.Find(name);
    return position < 0 ? -1 : edges_.rank(position);
  }
  // The nodes that a node is colocated with.
  std::vector<int32_t> Colocated(int32_t i) const;

 private:
  Status AppendNode(int32_t i, const ImportOp& op);
  Status AppendOutputs(int32_t i, const std::vector<DType>& types);
  int UsedOutputs(int32_t i);
  void CountUsedOutputs();
  Status CheckNodeInputs(int32_t i, const DType* wanted);

  const GraphDefView& def_;
  const std::vector<std::string>& return_elements_;
  AppendedNodes appended_;
  ImportNames names_;
  ImportEdges edges_;
  ImportOps ops_;
  ImportAttrs attrs_;
  std::vector<const ImportOp*> node_ops_;
  std::vector<ImportedAttrs> node_attrs_;
  std::vector<int> used_outputs_;  // filled at the first op without a definition
};

}  // namespace ramet
