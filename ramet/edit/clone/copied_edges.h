#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/edit/clone/dtypes.h"
#include "ramet/edit/clone/mapping.h"

namespace ramet {

// A CopiedEdges numbers the clone's nodes and connects them: it maps inputs and control inputs of
// the source to the clone's. The new nodes are placeholders, then copies, then casts. The caller
// holds the locks of both graphs.
class CopiedEdges {
 public:
  CopiedEdges(const CloneSelection& selection, const CloneDtypes& dtypes, CloneMapping& mapping);

  // Gives all nodes of the clone their ids and enters these in the mapping.
  void NumberNodes();
  // \error kInvalidArgument: a copy in a different graph needs a tensor from outside of the clone.
  Status CheckOutsideInputs() const;

  NodeId first() const { return first_; }
  // Returns the id of a cast by its position in CastPlan::casts().
  NodeId CastId(int32_t cast) const { return first_cast_ + cast; }
  // Returns the copy of a node; -1 if there is none.
  NodeId Copy(NodeId id) const { return mapping_.Copy(id); }
  // Returns the tensor that the clone uses for a tensor of the source.
  Endpoint Mapped(Endpoint e) const;
  // Appends the inputs and control inputs of the copy of `id` to the target's edges. Sets the
  // copy's first_edge and num_controls.
  void Append(NodeId id, NodeRecord* copy) const;

 private:
  void NumberSplices();
  void NumberCasts(NodeId first);
  void AppendControl(NodeId control, size_t first) const;

  const CloneSelection& selection_;
  const CloneDtypes& dtypes_;
  CloneMapping& mapping_;
  const GraphData& source_;
  GraphData& target_;
  NodeId first_ = 0, first_cast_ = 0;
  std::unordered_map<NodeId, std::vector<NodeId>> replacements_;  // of a node's outputs
};

}  // namespace ramet
