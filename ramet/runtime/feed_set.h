#pragma once

#include <unordered_set>

#include "ramet/runtime/plan.h"

namespace ramet {

// A FeedSet is the set of tensors that a run feeds.
class FeedSet {
 public:
  FeedSet(const GraphData& graph, const PlanRequest& request);
  bool Contains(Endpoint e) const { return fed_.contains(EndpointKey(e)); }
  // Reports whether a node is a fed placeholder: nothing has to wait for it. (A fed node of another
  // type still runs if something waits for it, as in TensorFlow.)
  bool IsFedPlaceholder(NodeId id) const;

 private:
  const GraphData& graph_;
  std::unordered_set<uint64_t> fed_;
};

}  // namespace ramet
