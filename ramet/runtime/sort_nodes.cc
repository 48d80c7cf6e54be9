#include "ramet/runtime/sort_nodes.h"

#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>

namespace ramet {
namespace {

Status CheckHasKernels(const NodeRecord& node) {
  if (!node.op->kernels().empty()) return OkStatus();
  return node.op->FindKernel("CPU", *node.attrs, node.name).status();
}

// Returns the error for nodes of which `num_sorted` could be sorted. The others wait for some of
// their sources: `waiting` has how many.
Status CycleError(const PrunedGraph& graph, const std::vector<NodeId>& nodes,
                  const std::unordered_map<NodeId, int>& waiting, size_t num_sorted) {
  std::vector<std::string_view> stuck;
  for (NodeId id : nodes) {
    if (waiting.at(id) > 0) RAMET_RETURN_IF_ERROR(CheckHasKernels(graph.node(id)));
  }
  for (NodeId id : nodes) {
    if (waiting.at(id) > 0 && stuck.size() < 5) stuck.push_back(graph.node(id).name);
  }
  return InvalidArgument("Graph is invalid, contains a cycle with ", nodes.size() - num_sorted,
                         " nodes, including: ", StrJoin(stuck, ", "));
}

StatusOr<std::vector<NodeId>> SortTopologically(const PrunedGraph& graph,
                                                const std::vector<NodeId>& nodes) {
  std::unordered_map<NodeId, int> waiting;
  std::unordered_map<NodeId, std::vector<NodeId>> readers;
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId id : nodes) {
    int count = 0;
    graph.ForEachForwardSource(id, [&](Endpoint from) {
      readers[from.node].push_back(id);
      ++count;
    });
    waiting[id] = count;
    if (count == 0) ready.push(id);
  }
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    sorted.push_back(id);
    for (NodeId reader : readers[id]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  if (sorted.size() < nodes.size()) return CycleError(graph, nodes, waiting, sorted.size());
  return sorted;
}

}  // namespace

StatusOr<std::vector<NodeId>> SortNodes(const PrunedGraph& graph) {
  std::vector<NodeId> nodes = graph.SortedNodes();
  bool forward = true;
  for (NodeId id : nodes) {
    graph.ForEachForwardSource(id, [&](Endpoint from) { forward &= from.node < id; });
  }
  if (forward) return nodes;
  return SortTopologically(graph, nodes);
}

}  // namespace ramet
