#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// The nodes that a run needs, in an order in which they can run, each loop's in one piece.
struct RunOrder {
  // One thing to do at a level: a node, or a whole loop (position in `loops`).
  struct Unit {
    NodeId node = -1;
    int32_t loop = -1;
  };
  // The frame of a loop; loops[0] is the run itself. An Enter and an Exit are units of the level
  // outside of their loop.
  struct Loop {
    std::string_view name;
    int32_t parent = -1;
    std::vector<Unit> units;
    std::vector<NodeId> enters;
    std::vector<NodeId> exits;
    std::vector<NodeId> next_iterations;
  };

  std::vector<Loop> loops;
  std::vector<NodeId> nodes;            // all, in order
  std::unordered_set<NodeId> computed;  // those whose kernel has to run
  std::unordered_set<NodeId> mortal;    // those that may be dead
  bool has_control_flow = false;
};

// Whether a tensor is one of the feeds.
class FeedSet {
 public:
  FeedSet(const GraphImpl& graph, const PlanRequest& request);
  bool Contains(Endpoint e) const { return fed_.contains(Key(e)); }
  // What waits for a fed placeholder waits for nothing. (Nodes of other types that are fed still
  // run where something waits for them, as in TensorFlow.)
  bool IsFedPlaceholder(NodeId id) const;

 private:
  static int64_t Key(Endpoint e) { return (static_cast<int64_t>(e.node) << 24) ^ e.index; }
  const GraphImpl& graph_;
  std::unordered_set<int64_t> fed_;
};

// Prunes the graph to what the fetches need, cut at the feeds, and orders it: by creation where
// that is possible. The graph's lock is held.
//
// \error kInvalidArgument if nodes are in a cycle that is no loop, if a node reads tensors of
//   different frames, or a fetch is within a loop; kUnimplemented if a node of a cycle has no
//   kernel.
StatusOr<RunOrder> OrderNodes(const GraphImpl& graph, const PlanRequest& request,
                              const FeedSet& feeds);

}  // namespace ramet
