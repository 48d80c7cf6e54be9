#pragma once

#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/boundary.h"
#include "ramet/edit/clone/reader_index.h"
#include "ramet/edit/clone/state_index.h"
#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// A TrainingParts removes the parts that only training needs from the selected part of the source
// (CloneOptions::strip_training without outputs): first updates, saves and restores, then,
// repeatedly, nodes and variables without remaining users. The caller holds the source's lock.
class TrainingParts {
 public:
  TrainingParts(const GraphData& impl, const StateIndex& index, std::vector<uint8_t>* selected,
                StrippedParts* stripped);
  void Strip();

 private:
  bool IsSelected(NodeId id) const { return selected_[static_cast<size_t>(id)] != 0; }
  void RemoveCertain();
  void RemoveUpdateOps();
  void RemoveUnreadGradients();
  void RemoveWithDependents(NodeId id);
  void Remove(NodeId id);
  void NoteRemovedReader(NodeId id);
  void RemoveIfUnused(NodeId variable);
  bool IsUnused(const SelectedVariable& v) const;
  bool HasLostReaders(NodeId id) const;

  const GraphData& impl_;
  const StateIndex& index_;
  std::vector<uint8_t>& selected_;
  StrippedParts& stripped_;
  ReaderIndex readers_;
  std::vector<NodeId> removed_;  // removed nodes whose inputs are still to be examined
};

}  // namespace ramet
