#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/edit/clone/selection.h"

namespace ramet {

// A HandleMakers lists, for each selected operation, the operations that made the references and
// handles that it takes: its variables, tables, TensorArrays. The lock of the source is held during
// construction.
class HandleMakers {
 public:
  explicit HandleMakers(const CloneSelection& selection);
  // The maker of what the clone reads instead of a tensor of the source.
  static constexpr NodeId kOutside = -1;
  // Returns the makers; empty if the operation takes neither references nor handles.
  const std::vector<NodeId>& Of(NodeId id) const;
  // Operations that take references or handles.
  const std::unordered_map<NodeId, std::vector<NodeId>>& all() const { return makers_; }

 private:
  const std::vector<NodeId> none_;
  std::unordered_map<NodeId, std::vector<NodeId>> makers_;
};

}  // namespace ramet
