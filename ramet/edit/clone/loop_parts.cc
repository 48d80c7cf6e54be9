#include "ramet/edit/clone/loop_parts.h"

#include <string>

#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

// Returns the innermost loop around a node's outputs; null if there is none.
WhileContext* LoopAroundOutputs(const GraphData& impl, NodeId id) {
  auto found = impl.build_state.control_flow.context_of.find(id);
  if (found == impl.build_state.control_flow.context_of.end()) return nullptr;
  const bool exit = ControlFlowOf(*impl.nodes[id].op) == ControlFlow::kExit;
  return LoopAround(exit ? found->second->outer() : found->second);
}

}  // namespace

std::unordered_set<NodeId> FindOpenEnters(const CloneSelection& selection) {
  const GraphData& impl = selection.impl();
  std::unordered_set<std::string> closed;
  std::vector<NodeId> enters;
  std::unordered_map<const Op*, ControlFlow> parts;
  auto part = [&](NodeId id) {
    auto [it, added] = parts.try_emplace(impl.nodes[id].op);
    if (added) it->second = ControlFlowOf(*impl.nodes[id].op);
    return it->second;
  };
  auto frame = [&](NodeId id) {
    return impl.nodes[id].attrs->GetOr<std::string>("frame_name", "");
  };
  for (NodeId id : selection.nodes()) {
    const ControlFlow p = part(id);
    if (p == ControlFlow::kEnter) enters.push_back(id);
    if (p != ControlFlow::kMerge) continue;
    for (Endpoint e : impl.inputs(id)) {
      const bool entered = selection.IsSelected(e.node) && part(e.node) == ControlFlow::kEnter;
      if (entered) closed.insert(frame(e.node));
    }
  }
  std::unordered_set<NodeId> open;
  for (NodeId id : enters) {
    if (!closed.contains(frame(id))) open.insert(id);
  }
  return open;
}

Status CheckCutsInLoops(const CloneSelection& selection) {
  const GraphData& impl = selection.impl();
  for (Endpoint e : selection.boundary().cuts()) {
    const WhileContext* loop = LoopAroundOutputs(impl, e.node);
    if (loop == nullptr || !loop->pivot().valid()) continue;
    if (!selection.IsSelected(loop->pivot().op().id())) continue;
    return InvalidArgument("clone: inputs: '", impl.nodes[e.node].name, ":", e.index,
                           "' is inside the loop '", loop->name(),
                           "', which is part of the clone; cut before the loop or choose outputs "
                           "inside it");
  }
  return OkStatus();
}

}  // namespace ramet
