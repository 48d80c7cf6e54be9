#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "ramet/edit/clone_names.h"
#include "ramet/edit/clone_selection.h"

namespace ramet {

// Renames variables in the name lists of a clone's save and restore nodes. A variable that is
// stored under its own name is stored under its copy's name. A variable that is stored under a
// different name gets that name within the clone's scope. Shared variables keep their names.
class CloneSaves {
 public:
  CloneSaves(const CloneSelection& selection, const CloneNames& names)
      : selection_(selection), names_(names), impl_(selection.impl()) {}

  // `new_name` returns the new name of a selected node. The caller holds the locks of both graphs.
  void Plan(const std::function<std::string(NodeId)>& new_name);
  // Returns the names that a constant holds in the clone; null if they do not change.
  const Tensor* NamesOf(NodeId constant) const;

 private:
  using Restored = std::unordered_map<uint64_t, NodeId>;  // outputs of restore nodes, and variables
  Restored FindRestored() const;
  NodeId VariableOf(Endpoint read) const;
  void Rename(NodeId node, const std::function<NodeId(size_t)>& variable_of,
              const std::function<std::string(NodeId)>& new_name);
  std::string NewName(const std::string& stored, NodeId variable,
                      const std::function<std::string(NodeId)>& new_name) const;
  const SaveSliceInfo* SliceOf(NodeId variable) const;

  const CloneSelection& selection_;
  const CloneNames& names_;
  const GraphImpl& impl_;
  std::unordered_map<NodeId, const SaveSliceInfo*> slices_;
  std::unordered_map<NodeId, Tensor> changed_;
};

}  // namespace ramet
