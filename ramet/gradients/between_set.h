#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// Whether gradients flow through tensors of this dtype (references count as what they refer to).
bool IsTrainableType(DType dtype);

// The operations on paths of trainable tensors from some xs to some ys, and how many of their
// outputs' uses lie on such paths. A snapshot: it does not see nodes that are added later.
class BetweenSet {
 public:
  // Walks the ancestors of `ys` under the graph's lock. The uses are not counted yet.
  BetweenSet(const Graph& graph, const std::vector<NodeId>& ys, const std::vector<NodeId>& xs);

  bool Contains(NodeId id) const { return pending_.contains(id); }
  // From the ys on, breadth first; what was added later at the end.
  const std::vector<NodeId>& order() const { return order_; }
  // Adds an operation that is differentiated although it is on no such path.
  void Add(NodeId id);
  // Counts the uses of all operations by those in the set.
  void CountUses(const Graph& graph);
  // The uses of `id` that are not yet differentiated.
  int pending(NodeId id) const;
  void set_pending(NodeId id, int uses) { pending_[id] = uses; }
  // Counts one use of `id` as differentiated: how many are left, negative where there was none.
  int FinishUse(NodeId id);

 private:
  std::unordered_map<NodeId, int> pending_;
  std::vector<NodeId> order_;
};

}  // namespace ramet
