#include "ramet/runtime/dead_nodes.h"

#include <algorithm>

namespace ramet {
namespace {

class DeadNodeFinder {
 public:
  explicit DeadNodeFinder(const PrunedGraph& graph) : graph_(graph) {}

  std::unordered_set<NodeId> Run(std::span<const NodeId> nodes) {
    for (NodeId id : nodes) {
      if (MayBeDead(id)) may_be_dead_.insert(id);
    }
    return std::move(may_be_dead_);
  }

 private:
  bool MayBeDead(NodeId id) const {
    switch (graph_.RoleOf(id)) {
      case ControlFlow::kControlTrigger: return false;
      case ControlFlow::kSwitch:
      case ControlFlow::kExit: return true;
      case ControlFlow::kEnter: return !IsConstantEnter(id) || AnySourceMayBeDead(id);
      case ControlFlow::kMerge: return AllInputsMayBeDead(id);
      default: return AnySourceMayBeDead(id);
    }
  }

  // Reports whether an Enter's value is available in all iterations. Other Enters have a value in
  // the first iteration only.
  bool IsConstantEnter(NodeId id) const {
    return graph_.node(id).attrs->GetOr<bool>("is_constant", false);
  }

  bool AnySourceMayBeDead(NodeId id) const {
    bool any = false;
    graph_.ForEachSource(id, [&](Endpoint e) { any = any || may_be_dead_.contains(e.node); });
    return any;
  }

  bool AllInputsMayBeDead(NodeId id) const {
    return std::ranges::all_of(graph_.graph().inputs(id), [&](Endpoint e) {
      if (graph_.feeds().Contains(e)) return false;
      return may_be_dead_.contains(e.node) || graph_.RoleOf(e.node) == ControlFlow::kNextIteration;
    });
  }

  const PrunedGraph& graph_;
  std::unordered_set<NodeId> may_be_dead_;
};

}  // namespace

std::unordered_set<NodeId> FindMayBeDead(const PrunedGraph& graph, std::span<const NodeId> nodes) {
  return DeadNodeFinder(graph).Run(nodes);
}

}  // namespace ramet
