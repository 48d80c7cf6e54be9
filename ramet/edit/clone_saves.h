#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "ramet/edit/clone_names.h"
#include "ramet/edit/clone_selection.h"

namespace ramet {

// Save and restore nodes of a clone know its variables by its own names: the lists of names that
// they read are changed. A variable that is stored under its own name is stored under that of its
// copy; what is stored under another name, under that name in the clone's scope; shared variables
// as before.
class CloneSaves {
 public:
  CloneSaves(const CloneSelection& selection, const CloneNames& names)
      : selection_(selection), names_(names), impl_(selection.impl()) {}

  // `new_name` gives the new name of a selected node. Both graphs are locked.
  void Plan(const std::function<std::string(NodeId)>& new_name);
  // The names that a constant holds in the clone; null if it is not changed.
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
