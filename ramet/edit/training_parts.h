#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/edit/clone_selection.h"

namespace ramet {

// Removes the parts that only training needs from the selection of a clone
// (CloneOptions::strip_training). The caller holds the lock of the source.
class TrainingParts {
 public:
  explicit TrainingParts(CloneSelection& selection)
      : selection_(selection), impl_(selection.impl_) {}

  // Finds batch norms whose averages are known. Call before marking what the outputs need.
  void FindBatchNorms();
  // Removes the training parts. Call after marking.
  void Strip();

 private:
  using Averages = std::unordered_map<uint64_t, std::optional<Endpoint>>;

  void IndexReaders();
  std::span<const NodeId> ReadersOf(NodeId id) const;
  void FindSeeds();
  bool IsUpdate(NodeId id) const;
  bool EndsInGradients(NodeId id) const;
  void RemoveDependents(NodeId id);
  void Remove(NodeId id);
  void Forsake(NodeId id);
  bool IsForsaken(NodeId id) const;
  void TryRemoveState(NodeId id);
  bool IsUnused(const SelectedVariable& v) const;
  void FindSplices();
  bool IsProtected(NodeId id) const;
  std::optional<Endpoint> AveragedBy(NodeId assign) const;
  Averages FindAverages() const;
  Endpoint ReadOf(NodeId variable) const;

  CloneSelection& selection_;
  const GraphImpl& impl_;
  std::vector<int32_t> first_reader_;  // by id: start of the node's readers in readers_
  std::vector<NodeId> readers_;        // data and control, within the selection
  std::vector<int32_t> remaining_;     // number of readers that are not removed, by id
  std::vector<NodeId> removed_;        // removed nodes whose inputs are still to be examined
  std::unordered_set<NodeId> variables_;
  std::unordered_set<NodeId> protected_;
};

}  // namespace ramet
