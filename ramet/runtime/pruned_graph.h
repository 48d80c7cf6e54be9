#pragma once

#include <unordered_set>
#include <vector>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/feed_set.h"

namespace ramet {

// A PrunedGraph is the part of a graph that a run needs: the nodes that the fetches depend on, cut
// at the feeds. The caller holds the graph's lock during its use.
class PrunedGraph {
 public:
  // The arguments must outlive this object.
  PrunedGraph(const GraphData& graph, const PlanRequest& request, const FeedSet& feeds);

  const GraphData& graph() const { return graph_; }
  const FeedSet& feeds() const { return feeds_; }
  // Returns the nodes in order of creation.
  std::vector<NodeId> SortedNodes() const;
  bool Contains(NodeId id) const { return needed_.contains(id); }
  // Reports whether a node has a role in TensorFlow 1's control flow.
  bool has_control_flow() const { return has_control_flow_; }
  ControlFlow RoleOf(NodeId id) const { return ControlFlowOf(*graph_.nodes[id].op); }
  const NodeRecord& node(NodeId id) const { return graph_.nodes[id]; }

  // Calls fn(Endpoint) for data inputs, then control inputs, except those that are fed or that have
  // run already.
  template <class Fn>
  void ForEachSource(NodeId id, Fn fn) const {
    for (Endpoint e : graph_.inputs(id)) {
      if (!feeds_.Contains(e)) fn(e);
    }
    for (Endpoint e : graph_.controls(id)) {
      if (!feeds_.IsFedPlaceholder(e.node) && !HasRun(e.node)) {
        fn(Endpoint{e.node, Endpoint::kControl});
      }
    }
  }

  // Like ForEachSource, but without the back edges of loops.
  template <class Fn>
  void ForEachForwardSource(NodeId id, Fn fn) const {
    const bool merge = has_control_flow_ && RoleOf(id) == ControlFlow::kMerge;
    ForEachSource(id, [&](Endpoint e) {
      if (!merge || RoleOf(e.node) != ControlFlow::kNextIteration) fn(e);
    });
  }

 private:
  bool HasRun(NodeId id) const;
  void Prune();

  const GraphData& graph_;
  const PlanRequest& request_;
  const FeedSet& feeds_;
  std::unordered_set<NodeId> needed_;
  bool has_control_flow_ = false;
};

}  // namespace ramet
