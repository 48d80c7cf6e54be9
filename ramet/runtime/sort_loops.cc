#include "ramet/runtime/sort_loops.h"

#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace ramet {
namespace {

class LoopSorter {
 public:
  LoopSorter(const PrunedGraph& graph, const LoopFrames& frames, RunOrder* order)
      : graph_(graph), frames_(frames), order_(*order), members_(order->loops.size()) {}

  Status Run() {
    FindMembers();
    for (size_t frame = 0; frame < order_.loops.size(); ++frame) {
      RAMET_RETURN_IF_ERROR(SortUnits(static_cast<int32_t>(frame)));
    }
    std::vector<NodeId> nodes;
    nodes.reserve(order_.nodes.size());
    AppendNodes(0, &nodes);
    order_.nodes = std::move(nodes);
    return OkStatus();
  }

 private:
  // The id of a unit: that of the node, or a negative number for a loop.
  using UnitId = NodeId;
  static UnitId IdOfLoop(int32_t frame) { return -1 - frame; }
  static int32_t LoopOf(UnitId unit) { return -1 - unit; }
  static bool IsLoop(UnitId unit) { return unit < 0; }

  // Finds the units of each frame and the edges between units of the same frame.
  void FindMembers() {
    for (size_t l = 1; l < order_.loops.size(); ++l) {
      members_[order_.loops[l].parent].push_back(IdOfLoop(static_cast<int32_t>(l)));
    }
    for (NodeId id : order_.nodes) {
      members_[frames_.UnitFrame(id)].push_back(id);
      const ControlFlow role = graph_.RoleOf(id);
      if (role == ControlFlow::kEnter) AddEdge(id, IdOfLoop(frames_.OutputFrame(id)));
      if (role == ControlFlow::kExit) {
        AddEdge(IdOfLoop(frames_.InputFrame(id)), id);
        continue;
      }
      graph_.ForEachForwardSource(id, [&](Endpoint e) {
        if (graph_.RoleOf(e.node) != ControlFlow::kEnter) AddEdge(e.node, id);
      });
    }
  }

  void AddEdge(UnitId from, UnitId to) {
    readers_[from].push_back(to);
    ++waiting_[to];
  }

  Status SortUnits(int32_t frame) {
    std::priority_queue<UnitId, std::vector<UnitId>, std::greater<>> ready;
    for (UnitId unit : members_[frame]) {
      if (waiting_[unit] == 0) ready.push(unit);
    }
    std::vector<RunOrder::Unit>& units = order_.loops[frame].units;
    while (!ready.empty()) {
      const UnitId unit = ready.top();
      ready.pop();
      units.push_back(IsLoop(unit) ? RunOrder::Unit{-1, LoopOf(unit)} : RunOrder::Unit{unit, -1});
      auto readers = readers_.find(unit);
      if (readers == readers_.end()) continue;
      for (UnitId reader : readers->second) {
        if (--waiting_[reader] == 0) ready.push(reader);
      }
    }
    return units.size() == members_[frame].size() ? OkStatus() : CycleError(frame);
  }

  Status CycleError(int32_t frame) {
    for (UnitId unit : members_[frame]) {
      if (!IsLoop(unit) || waiting_[unit] == 0) continue;
      return InvalidArgument("the loop that {{node ", order_.loops[LoopOf(unit)].name,
                             "}} enters needs a value that depends on the loop's own result");
    }
    return InvalidArgument("nodes of a loop are in a cycle");
  }

  void AppendNodes(int32_t frame, std::vector<NodeId>* nodes) const {
    for (const RunOrder::Unit& unit : order_.loops[frame].units) {
      unit.loop >= 0 ? AppendNodes(unit.loop, nodes) : nodes->push_back(unit.node);
    }
  }

  const PrunedGraph& graph_;
  const LoopFrames& frames_;
  RunOrder& order_;
  std::vector<std::vector<UnitId>> members_;  // the units of each frame
  std::unordered_map<UnitId, std::vector<UnitId>> readers_;
  std::unordered_map<UnitId, int> waiting_;  // the number of unsorted sources of each unit
};

}  // namespace

Status SortLoops(const PrunedGraph& graph, const LoopFrames& frames, RunOrder* order) {
  return LoopSorter(graph, frames, order).Run();
}

}  // namespace ramet
