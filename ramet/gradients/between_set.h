#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// Reports whether gradients flow through tensors of this dtype. References count as the type they
// refer to.
bool IsTrainableType(DType dtype);

// The operations on paths of trainable tensors from some xs to some ys, and how often their outputs
// are used on such paths. A snapshot that does not include nodes added later.
class BetweenSet {
 public:
  // Walks the ancestors of `ys` under the graph's lock. Does not count uses yet.
  BetweenSet(const Graph& graph, const std::vector<NodeId>& ys, const std::vector<NodeId>& xs);

  bool Contains(NodeId id) const { return pending_.contains(id); }
  // Breadth first from the ys; operations added later come last.
  const std::vector<NodeId>& order() const { return order_; }
  // Adds an operation that is differentiated although it is not on such a path.
  void Add(NodeId id);
  // Counts the uses of each operation by operations in the set.
  void CountUses(const Graph& graph);
  // The number of uses of `id` that are not differentiated yet.
  int pending(NodeId id) const;
  void set_pending(NodeId id, int uses) { pending_[id] = uses; }
  // Counts one use of `id` as differentiated. Returns the number left, negative if there was none.
  int FinishUse(NodeId id);

 private:
  std::unordered_map<NodeId, int> pending_;
  std::vector<NodeId> order_;
};

}  // namespace ramet
