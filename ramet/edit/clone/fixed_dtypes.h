#pragma once

#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/selection.h"

namespace ramet {

// A FixedDtypes knows the operations whose dtypes do not change, whatever the rules say. The lock
// of the source is held during use.
class FixedDtypes {
 public:
  explicit FixedDtypes(const CloneSelection& selection);
  bool Contains(NodeId id) const;
  // Adds a variable or resource. Returns whether it is new.
  bool AddState(NodeId id) { return !Contains(id) && state_.insert(id).second; }

 private:
  void FindInitialValues();
  void FindFlows();

  const CloneSelection& selection_;
  const GraphData& impl_;
  // By id. Nodes that only initializers read are computed as in the original, since first values
  // are the original's, rounded.
  std::vector<uint8_t> initial_;
  // By id. Flows of TensorArrays order their uses and are floats by definition.
  std::vector<uint8_t> flow_;
  std::unordered_set<NodeId> state_;
};

}  // namespace ramet
