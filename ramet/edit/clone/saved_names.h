#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/names.h"
#include "ramet/edit/clone/node_name_block.h"
#include "ramet/edit/clone/selection.h"

namespace ramet {

// A SavedNames renames variables in the name lists of a clone's save and restore nodes. A variable
// that is stored under its own name is stored under its copy's name. A variable that is stored
// under a different name gets that name within the clone's scope. Shared variables keep their
// names.
class SavedNames {
 public:
  SavedNames(const CloneSelection& selection, const CloneNames& names,
             const NodeNameBlock& node_names)
      : selection_(selection), names_(names), node_names_(node_names), impl_(selection.impl()) {}

  // Renames all lists. The caller holds the locks of both graphs.
  void Rename();
  // Returns the names that a constant holds in the clone; null if they do not change.
  const Tensor* NamesOf(NodeId constant) const;

 private:
  using Restored = std::unordered_map<uint64_t, NodeId>;  // outputs of restore nodes, and variables
  void RenameSave(NodeId save);
  void RenameRestores(const std::vector<NodeId>& restores);
  Restored FindRestored() const;
  NodeId VariableOf(Endpoint read) const;
  void RenameList(NodeId node, const std::function<NodeId(size_t)>& variable_of);
  std::string NewName(const std::string& stored, NodeId variable) const;

  const CloneSelection& selection_;
  const CloneNames& names_;
  const NodeNameBlock& node_names_;
  const GraphData& impl_;
  std::unordered_set<NodeId> partitioned_;      // variables that are slices
  std::unordered_map<NodeId, Tensor> changed_;  // by constant
};

}  // namespace ramet
