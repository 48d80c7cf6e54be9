#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/edit/clone/selection.h"

namespace ramet {

class DtypeRules;
class FixedDtypes;
class HandleMakers;

// A DtypeChanges holds the operations of the source that have different dtypes in the clone. See
// CloneDtype for the rules.
class DtypeChanges {
 public:
  struct Change {
    std::shared_ptr<const AttrMap> attrs;
    std::vector<DType> outputs;
  };

  explicit DtypeChanges(const CloneSelection& selection)
      : selection_(selection), impl_(selection.impl()) {}

  // Decides which operations change. Adds state to `fixed` that keeps its dtype, because an
  // operation on it would have no kernel. The caller holds the locks of both graphs.
  // \error kInvalidArgument: an op does not allow the dtypes. Names `dtype`.
  Status Plan(const DtypeRules& rules, const HandleMakers& makers, FixedDtypes* fixed);

  bool empty() const { return changes_.empty() && outside_.empty(); }
  // Returns the change of a node; null if it does not change.
  const Change* Find(NodeId id) const;
  // Returns the node's attrs in the clone; the original's if they do not change.
  const std::shared_ptr<const AttrMap>& Attrs(NodeId id) const;
  // Returns the dtype of a tensor in the clone; a reference if the original is one.
  DType TypeOf(Endpoint e) const;

 private:
  void FindOutsideDtypes();
  Status Add(NodeId id, std::shared_ptr<const AttrMap> attrs);

  const CloneSelection& selection_;
  const GraphData& impl_;
  std::unordered_map<NodeId, Change> changes_;
  std::unordered_map<uint64_t, DType> outside_;  // dtypes of replacements of source tensors
};

}  // namespace ramet
