#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/edit/clone_selection.h"

namespace ramet {

// Finds what only training needs in what a clone takes (CloneOptions::strip_training), and takes it
// out of the selection. The source is locked by the caller.
class TrainingParts {
 public:
  explicit TrainingParts(CloneSelection& selection)
      : selection_(selection), impl_(selection.impl_) {}

  // Before the needs of outputs are marked: batch norms whose averages are known.
  void FindBatchNorms();
  // After.
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
  std::vector<int32_t> first_reader_;  // by id: where in readers_ those of a node begin
  std::vector<NodeId> readers_;        // data and control, within the selection
  std::vector<int32_t> remaining_;     // readers that are not removed, by id
  std::vector<NodeId> removed_;        // whose inputs have not been looked at
  std::unordered_set<NodeId> variables_;
  std::unordered_set<NodeId> protected_;
};

}  // namespace ramet
