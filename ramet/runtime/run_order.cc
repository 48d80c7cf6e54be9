#include "ramet/runtime/run_order.h"

#include <algorithm>

#include "ramet/runtime/dead_nodes.h"
#include "ramet/runtime/loop_frames.h"
#include "ramet/runtime/pruned_graph.h"
#include "ramet/runtime/sort_loops.h"
#include "ramet/runtime/sort_nodes.h"

namespace ramet {
namespace {

// Reports whether a node does more than compute its outputs from its inputs.
bool HasEffect(const NodeRecord& node) {
  if (node.num_inputs == 0 || !node.op->registered() || node.op->schema().is_stateful) return true;
  return std::ranges::any_of(node.op->schema().inputs, &ArgSchema::is_ref);
}

// Finds the nodes that must be computed. A node whose outputs nothing reads is only waited for;
// without an effect of its own it need not run (TensorFlow's dependency optimizer does the same).
// For example, the gradient of a fed tensor is not computed just because a training step waits
// for all gradients of an op. A node that may be dead is kept, because it determines whether the
// nodes that wait for it are dead.
void FindComputed(const PrunedGraph& graph, std::span<const Endpoint> fetches, RunOrder* order) {
  std::vector<NodeId> stack;
  auto visit = [&](NodeId id) {
    if (order->computed.insert(id).second) stack.push_back(id);
  };
  for (Endpoint e : fetches) {
    if (graph.Contains(e.node)) visit(e.node);
  }
  for (NodeId id : order->nodes) {
    if (HasEffect(graph.node(id))) visit(id);
    for (Endpoint e : graph.graph().controls(id)) {
      if (order->may_be_dead.contains(e.node)) visit(e.node);
    }
  }
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    for (Endpoint e : graph.graph().inputs(id)) {
      if (!graph.feeds().Contains(e)) visit(e.node);
    }
  }
}

Status OrderControlFlow(const PrunedGraph& graph, std::span<const Endpoint> fetches,
                        RunOrder* order) {
  RAMET_ASSIGN_OR_RETURN(const LoopFrames frames, LoopFrames::Find(graph, order));
  RAMET_RETURN_IF_ERROR(frames.CheckFetches(fetches));
  RAMET_RETURN_IF_ERROR(SortLoops(graph, frames, order));
  order->may_be_dead = FindMayBeDead(graph, order->nodes);
  return OkStatus();
}

}  // namespace

StatusOr<RunOrder> OrderNodes(const GraphData& graph, const PlanRequest& request,
                              const FeedSet& feeds) {
  const PrunedGraph pruned(graph, request, feeds);
  RunOrder order;
  order.loops.emplace_back();
  order.has_control_flow = pruned.has_control_flow();
  RAMET_ASSIGN_OR_RETURN(order.nodes, SortNodes(pruned));
  if (order.has_control_flow) {
    RAMET_RETURN_IF_ERROR(OrderControlFlow(pruned, request.fetches, &order));
  } else {
    for (NodeId id : order.nodes) order.loops[0].units.push_back({.node = id});
  }
  FindComputed(pruned, request.fetches, &order);
  return order;
}

}  // namespace ramet
