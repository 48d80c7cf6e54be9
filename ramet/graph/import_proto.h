#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/function_library.h"
#include "ramet/graph/import.h"
#include "ramet/graph/import_attrs.h"
#include "ramet/graph/import_edges.h"
#include "ramet/graph/import_names.h"
#include "ramet/graph/import_ops.h"

namespace ramet {

// A GraphImport is an import in progress. It locks the graph and appends the nodes. Destroying it
// before Commit removes everything it added. Borrows the view, the op list and the options. Not
// thread-safe.
class GraphImport {
 public:
  GraphImport(Graph& graph, const GraphDefView& def, const OpList& producer_ops,
              const ImportOptions& options);
  ~GraphImport();
  GraphImport(const GraphImport&) = delete;
  GraphImport& operator=(const GraphImport&) = delete;

  // Checks and appends everything. Errors are those of ImportGraphDef.
  Status Prepare();
  // Keeps the nodes in the graph and releases the lock. Call only after Prepare has succeeded.
  ImportResults Commit();

  // Valid between Prepare and Commit: the prefix, and the graph's storage including the new nodes.
  const std::string& prefix() const { return prefix_; }
  GraphImpl& impl() { return impl_; }
  // Returns the node with this name in the file, or else the graph's node of this name under the
  // prefix, or -1.
  NodeId FindNode(std::string_view name_in_file) const;

 private:
  Status CheckVersions() const;
  Status AppendNodes();
  Status AppendNode(int32_t i, const ImportOp& op);
  // A suffix for error messages.
  std::string InNode(int32_t i) const;
  std::string_view KeepName(std::string_view name);
  Status AppendOutputs(int32_t i, const std::vector<DType>& types);
  int UsedOutputs(int32_t i);
  Status CheckInputs();
  Status CheckNodeInputs(int32_t i, const DType* wanted);
  Status InferNodeShapes(int32_t i);
  Status RefineShapes(int32_t i);
  Status SetDevices();
  Status ResolveReturnElements();
  StatusOr<std::variant<Output, Operation>> ResolveReturnElement(const std::string& element);
  Status CheckUnusedKeys() const;
  void MergeVersions();
  // The new nodes in creation order; i counts from the first of them.
  int32_t size() const { return def_.node_size(); }
  const NodeView& node_def(int32_t i) const { return def_.node(edges_.position(i)); }
  NodeRecord& record(int32_t i) { return impl_.nodes[base_ + i]; }
  const NodeRecord& record(int32_t i) const { return impl_.nodes[base_ + i]; }
  // Returns -1 if the file has no such node.
  int32_t FindInFile(std::string_view name) const {
    const int32_t position = names_.Find(name);
    return position < 0 ? -1 : edges_.rank(position);
  }

  Graph& graph_;
  GraphImpl& impl_;
  const GraphDefView& def_;
  const ImportOptions& options_;
  std::unique_lock<std::shared_mutex> lock_;
  const NodeId base_;
  const size_t edges_before_, outputs_before_, names_before_;

  std::string prefix_;
  ImportNames names_;
  InputRemap remap_;
  ImportEdges edges_;
  ImportOps ops_;
  ImportAttrs attrs_;
  std::vector<const ImportOp*> node_ops_;
  std::vector<ImportedAttrs> node_attrs_;
  std::vector<int> used_outputs_;  // filled at the first op without a definition
  ConstantEvaluator constants_;
  ImportResults results_;
  bool committed_ = false;
  std::optional<FunctionLibrary::Mark> library_before_;
};

}  // namespace ramet
