#include "ramet/runtime/pruned_graph.h"

#include <algorithm>

namespace ramet {

PrunedGraph::PrunedGraph(const GraphData& graph, const PlanRequest& request, const FeedSet& feeds)
    : graph_(graph), request_(request), feeds_(feeds) {
  Prune();
}

std::vector<NodeId> PrunedGraph::SortedNodes() const {
  std::vector<NodeId> nodes(needed_.begin(), needed_.end());
  std::ranges::sort(nodes);
  return nodes;
}

bool PrunedGraph::HasRun(NodeId id) const { return std::ranges::count(request_.done, id) > 0; }

void PrunedGraph::Prune() {
  std::vector<NodeId> stack;
  auto visit = [&](NodeId id) {
    if (!needed_.insert(id).second) return;
    stack.push_back(id);
    has_control_flow_ |= RoleOf(id) != ControlFlow::kNone;
  };
  for (Endpoint e : request_.fetches) {
    if (e.index == Endpoint::kControl || !feeds_.Contains(e)) visit(e.node);
  }
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    ForEachSource(id, [&](Endpoint e) { visit(e.node); });
  }
}

}  // namespace ramet
