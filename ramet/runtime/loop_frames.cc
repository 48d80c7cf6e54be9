#include "ramet/runtime/loop_frames.h"

namespace ramet {
namespace {

constexpr int kMaxLoopDepth = 256;

}  // namespace

StatusOr<LoopFrames> LoopFrames::Find(const PrunedGraph& graph, RunOrder* order) {
  LoopFrames frames(graph, order);
  for (NodeId id : order->nodes) RAMET_RETURN_IF_ERROR(frames.AddNode(id));
  RAMET_RETURN_IF_ERROR(frames.CheckBackEdges());
  return frames;
}

Status LoopFrames::AddNode(NodeId id) {
  NodeId first = -1;
  Status status;
  graph_->ForEachForwardSource(id, [&](Endpoint e) {
    if (first < 0) {
      first = e.node;
    } else if (OutputFrame(e.node) != OutputFrame(first) && status.ok()) {
      status = DifferentFrames(id, first, e.node);
    }
  });
  RAMET_RETURN_IF_ERROR(status);
  const int32_t frame = first < 0 ? 0 : OutputFrame(first);
  if (frame != 0) frame_[id] = frame;
  return AddRole(id, frame);
}

Status LoopFrames::AddRole(NodeId id, int32_t frame) {
  const ControlFlow role = graph_->RoleOf(id);
  if (role == ControlFlow::kEnter) return AddEnter(id, frame);
  if (role != ControlFlow::kExit && role != ControlFlow::kNextIteration) return OkStatus();
  if (frame == 0) {
    const NodeRecord& node = graph_->node(id);
    return InvalidArgument("node '", node.name, "' (", node.op->name(),
                           ") is outside of any loop: it does not depend on an Enter");
  }
  RunOrder::Loop& loop = order_->loops[frame];
  (role == ControlFlow::kExit ? loop.exits : loop.next_iterations).push_back(id);
  return OkStatus();
}

Status LoopFrames::AddEnter(NodeId id, int32_t parent) {
  RAMET_ASSIGN_OR_RETURN(std::string name, graph_->node(id).attrs->Get<std::string>("frame_name"));
  auto [it, added] = frame_of_name_.try_emplace({parent, name}, order_->loops.size());
  if (added) RAMET_RETURN_IF_ERROR(AddLoop(id, parent));
  entered_[id] = it->second;
  order_->loops[it->second].enters.push_back(id);
  return OkStatus();
}

Status LoopFrames::AddLoop(NodeId enter, int32_t parent) {
  const std::string_view name = graph_->node(enter).name;
  order_->loops.push_back({.name = name, .parent = parent});
  int depth = 0;
  for (int32_t l = parent; l >= 0; l = order_->loops[l].parent) ++depth;
  if (depth <= kMaxLoopDepth) return OkStatus();
  return InvalidArgument("{{node ", name, "}} enters more than ", kMaxLoopDepth, " nested loops");
}

Status LoopFrames::CheckBackEdges() const {
  for (NodeId id : order_->nodes) {
    if (graph_->RoleOf(id) != ControlFlow::kMerge) continue;
    for (Endpoint e : graph_->graph().inputs(id)) {
      if (graph_->feeds().Contains(e) || graph_->RoleOf(e.node) != ControlFlow::kNextIteration) {
        continue;
      }
      if (InputFrame(e.node) != InputFrame(id)) return DifferentFrames(id, id, e.node);
    }
  }
  return OkStatus();
}

Status LoopFrames::DifferentFrames(NodeId id, NodeId a, NodeId b) const {
  return InvalidArgument(
      "{{node ", graph_->node(id).name, "}} has inputs from different frames. The input {{node ",
      graph_->node(a).name, "}} is in frame '", NameOf(OutputFrame(a)), "'. The input {{node ",
      graph_->node(b).name, "}} is in frame '", NameOf(OutputFrame(b)), "'.");
}

std::string LoopFrames::NameOf(int32_t frame) const {
  if (frame == 0) return "";
  const NodeId enter = order_->loops[frame].enters[0];
  return graph_->node(enter).attrs->GetOr<std::string>("frame_name", "");
}

int32_t LoopFrames::InputFrame(NodeId id) const {
  auto it = frame_.find(id);
  return it == frame_.end() ? 0 : it->second;
}

int32_t LoopFrames::OutputFrame(NodeId id) const {
  const int32_t frame = InputFrame(id);
  switch (graph_->RoleOf(id)) {
    case ControlFlow::kEnter: return entered_.at(id);
    case ControlFlow::kExit: return order_->loops[frame].parent;
    default: return frame;
  }
}

int32_t LoopFrames::UnitFrame(NodeId id) const {
  return graph_->RoleOf(id) == ControlFlow::kExit ? OutputFrame(id) : InputFrame(id);
}

Status LoopFrames::CheckFetches(std::span<const Endpoint> fetches) const {
  for (Endpoint e : fetches) {
    if (e.index != Endpoint::kControl && graph_->feeds().Contains(e)) continue;
    const int32_t frame = OutputFrame(e.node);
    if (frame == 0) continue;
    const std::string_view name = graph_->node(e.node).name;
    return InvalidArgument("Operation '", name, "' has been marked as not fetchable: the node '",
                           name, "' is in the loop '", NameOf(frame),
                           "' and has a value in each iteration; fetch the output of an Exit "
                           "instead");
  }
  return OkStatus();
}

}  // namespace ramet
