#pragma once

#include <optional>
#include <string>

#include "ramet/graph/function_library.h"
#include "ramet/graph_def/import.h"
#include "ramet/graph_def/import_nodes.h"

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
  void ReserveNames();

  Graph& graph_;
  GraphImpl& impl_;
  const GraphDefView& def_;
  const ImportOptions& options_;
  std::optional<WriterLock> lock_;
  std::string prefix_;
  InputRemap remap_;
  ImportNodes nodes_;
  std::optional<FunctionLibrary::Mark> library_before_;  // set while functions may be removed
  ImportResults results_;
};

}  // namespace ramet
