#pragma once

#include <string>
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
  // Walks the ancestors of `ys` under the graph's lock.
  BetweenSet(const Graph& graph, const std::vector<NodeId>& ys, const std::vector<NodeId>& xs);

  bool Contains(NodeId id) const { return pending_.contains(id); }
  // The uses of `id` that are not yet differentiated.
  int pending(NodeId id) const;
  // Counts one use of `id` as differentiated; whether it was the last.
  bool FinishUse(NodeId id);
  // The name of a loop's Exit in the set, "" if there is none.
  const std::string& loop_exit() const { return loop_exit_; }

 private:
  std::unordered_map<NodeId, int> pending_;
  std::string loop_exit_;
};

}  // namespace ramet
