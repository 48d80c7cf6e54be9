#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "ramet/runtime/feed_set.h"
#include "ramet/runtime/plan.h"

namespace ramet {

// The nodes that a run needs in an order in which they can run. The nodes of a loop are
// consecutive.
struct RunOrder {
  // A node or a whole loop (index in `loops`).
  struct Unit {
    NodeId node = -1;
    int32_t loop = -1;
  };
  // A loop frame; loops[0] is the run itself. The Enter and Exit nodes of a loop are units of its
  // parent.
  struct Loop {
    std::string_view name = {};
    int32_t parent = -1;
    std::vector<Unit> units = {};
    std::vector<NodeId> enters = {};
    std::vector<NodeId> exits = {};
    std::vector<NodeId> next_iterations = {};
  };

  std::vector<Loop> loops;
  std::vector<NodeId> nodes;               // all nodes, in order
  std::unordered_set<NodeId> computed;     // nodes whose kernel has to run
  std::unordered_set<NodeId> may_be_dead;  // of TensorFlow 1's control flow
  bool has_control_flow = false;
};

// Prunes the graph to what the fetches need, cut at the feeds (PrunedGraph), and orders it, by
// creation where possible.
//
// \error kInvalidArgument: nodes are in a cycle that is not a loop, a node reads tensors of
//   different loop frames, or a fetch is inside a loop.
// \error kUnimplemented: a node in a cycle has no kernel.
StatusOr<RunOrder> OrderNodes(const GraphData& graph, const PlanRequest& request,
                              const FeedSet& feeds) RAMET_REQUIRES_SHARED(graph.mutex);

}  // namespace ramet
