#include "ramet/runtime/run_order.h"

#include <algorithm>
#include <map>
#include <queue>

#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

constexpr int kMaxLoopDepth = 256;

class Orderer {
 public:
  Orderer(const GraphData& graph, const PlanRequest& request, const FeedSet& feeds)
      : graph_(graph), request_(request), feeds_(feeds) {
    order_.loops.emplace_back();
  }

  StatusOr<RunOrder> Run() {
    Prune();
    RAMET_RETURN_IF_ERROR(Sort());
    if (order_.has_control_flow) {
      RAMET_RETURN_IF_ERROR(FindFrames());
      RAMET_RETURN_IF_ERROR(CheckFetches());
      RAMET_RETURN_IF_ERROR(SortLoops());
      FindMortal();
    } else {
      for (NodeId id : order_.nodes) order_.loops[0].units.push_back({id, -1});
    }
    FindComputed();
    return std::move(order_);
  }

 private:
  ControlFlow PartOf(NodeId id) const { return ControlFlowOf(*graph_.nodes[id].op); }

  bool IsDone(NodeId id) const { return std::ranges::count(request_.done, id) > 0; }

  void Prune() {
    std::vector<NodeId> stack;
    auto visit = [&](NodeId id) {
      if (!needed_.insert(id).second) return;
      stack.push_back(id);
      order_.has_control_flow |= PartOf(id) != ControlFlow::kNone;
    };
    for (Endpoint e : request_.fetches) {
      if (e.index == Endpoint::kControl || !feeds_.Contains(e)) visit(e.node);
    }
    while (!stack.empty()) {
      NodeId id = stack.back();
      stack.pop_back();
      ForEachSource(id, [&](Endpoint e) { visit(e.node); });
    }
  }

  // Calls fn for data inputs, then control inputs, except those that are fed.
  template <class Fn>
  void ForEachSource(NodeId id, Fn fn) const {
    for (Endpoint e : graph_.inputs(id)) {
      if (!feeds_.Contains(e)) fn(e);
    }
    for (Endpoint e : graph_.controls(id)) {
      if (!feeds_.IsFedPlaceholder(e.node) && !IsDone(e.node)) {
        fn(Endpoint{e.node, Endpoint::kControl});
      }
    }
  }

  // Like ForEachSource, but without the back edges of loops.
  template <class Fn>
  void ForEachForwardSource(NodeId id, Fn fn) const {
    const bool merge = order_.has_control_flow && PartOf(id) == ControlFlow::kMerge;
    ForEachSource(id, [&](Endpoint e) {
      if (!merge || PartOf(e.node) != ControlFlow::kNextIteration) fn(e);
    });
  }

  // Sorts by creation order, unless an edge points backwards.
  Status Sort() {
    order_.nodes.assign(needed_.begin(), needed_.end());
    std::ranges::sort(order_.nodes);
    bool forward = true;
    for (NodeId id : order_.nodes) {
      ForEachForwardSource(id, [&](Endpoint from) { forward &= from.node < id; });
    }
    return forward ? OkStatus() : SortTopologically();
  }

  Status SortTopologically() {
    std::unordered_map<NodeId, int> waiting;
    std::unordered_map<NodeId, std::vector<NodeId>> readers;
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (NodeId id : order_.nodes) {
      int count = 0;
      ForEachForwardSource(id, [&](Endpoint from) {
        readers[from.node].push_back(id);
        ++count;
      });
      waiting[id] = count;
      if (count == 0) ready.push(id);
    }
    std::vector<NodeId> sorted;
    while (!ready.empty()) {
      NodeId id = ready.top();
      ready.pop();
      sorted.push_back(id);
      for (NodeId reader : readers[id]) {
        if (--waiting[reader] == 0) ready.push(reader);
      }
    }
    if (sorted.size() < order_.nodes.size()) return Cycle(waiting, sorted.size());
    order_.nodes = std::move(sorted);
    return OkStatus();
  }

  Status Cycle(const std::unordered_map<NodeId, int>& waiting, size_t sorted) const {
    std::vector<std::string_view> stuck;
    for (NodeId id : order_.nodes) {
      if (waiting.at(id) > 0) RAMET_RETURN_IF_ERROR(CheckHasKernels(graph_.nodes[id]));
    }
    for (NodeId id : order_.nodes) {
      if (waiting.at(id) > 0 && stuck.size() < 5) stuck.push_back(graph_.nodes[id].name);
    }
    return InvalidArgument(order_.nodes.size() - sorted,
                           " nodes in a cycle, among them: ", StrJoin(stuck, ", "));
  }

  static Status CheckHasKernels(const NodeRecord& node) {
    if (!node.op->kernels().empty()) return OkStatus();
    return node.op->FindKernel("CPU", *node.attrs, node.name).status();
  }

  // Return the loop frames of a node's inputs and of its outputs.
  int32_t InFrame(NodeId id) const {
    auto it = frame_.find(id);
    return it == frame_.end() ? 0 : it->second;
  }

  int32_t OutFrame(NodeId id) const {
    const int32_t in = InFrame(id);
    switch (PartOf(id)) {
      case ControlFlow::kEnter: return entered_.at(id);
      case ControlFlow::kExit: return order_.loops[in].parent;
      default: return in;
    }
  }

  // Returns the level at which a node is a unit.
  int32_t LevelOf(NodeId id) const {
    return PartOf(id) == ControlFlow::kExit ? OutFrame(id) : InFrame(id);
  }

  Status FindFrames() {
    for (NodeId id : order_.nodes) {
      NodeId first = -1;
      Status status;
      ForEachForwardSource(id, [&](Endpoint e) {
        if (first < 0) {
          first = e.node;
        } else if (OutFrame(e.node) != OutFrame(first) && status.ok()) {
          status = DifferentFrames(id, first, e.node);
        }
      });
      RAMET_RETURN_IF_ERROR(status);
      const int32_t frame = first < 0 ? 0 : OutFrame(first);
      if (frame != 0) frame_[id] = frame;
      RAMET_RETURN_IF_ERROR(NotePart(id, frame));
    }
    return CheckBackEdges();
  }

  Status NotePart(NodeId id, int32_t frame) {
    const ControlFlow part = PartOf(id);
    if (part == ControlFlow::kEnter) return Enter(id, frame);
    if (part != ControlFlow::kExit && part != ControlFlow::kNextIteration) return OkStatus();
    if (frame == 0) {
      return InvalidArgument("node '", graph_.nodes[id].name, "' is an ",
                             graph_.nodes[id].op->name(), " outside of any loop: it does not ",
                             "depend on an Enter");
    }
    auto& loop = order_.loops[frame];
    (part == ControlFlow::kExit ? loop.exits : loop.next_iterations).push_back(id);
    return OkStatus();
  }

  Status Enter(NodeId id, int32_t parent) {
    RAMET_ASSIGN_OR_RETURN(std::string name,
                           graph_.nodes[id].attrs->Get<std::string>("frame_name"));
    auto [it, added] = loop_of_name_.try_emplace({parent, name}, order_.loops.size());
    if (added) {
      RunOrder::Loop loop;
      loop.parent = parent;
      loop.name = graph_.nodes[id].name;
      order_.loops.push_back(std::move(loop));
      int depth = 0;
      for (int32_t l = parent; l >= 0; l = order_.loops[l].parent) ++depth;
      if (depth > kMaxLoopDepth) {
        return InvalidArgument("{{node ", graph_.nodes[id].name, "}} enters more than ",
                               kMaxLoopDepth, " nested loops");
      }
    }
    entered_[id] = it->second;
    order_.loops[it->second].enters.push_back(id);
    return OkStatus();
  }

  Status DifferentFrames(NodeId id, NodeId a, NodeId b) const {
    auto frame = [&](NodeId source) {
      const int32_t loop = OutFrame(source);
      return loop == 0 ? std::string("''")
                       : StrCat("'", FrameName(order_.loops[loop].enters[0]), "'");
    };
    return InvalidArgument("{{node ", graph_.nodes[id].name,
                           "}} has inputs from different frames. The input {{node ",
                           graph_.nodes[a].name, "}} is in frame ", frame(a), ". The input {{node ",
                           graph_.nodes[b].name, "}} is in frame ", frame(b), ".");
  }

  std::string FrameName(NodeId enter) const {
    return graph_.nodes[enter].attrs->GetOr<std::string>("frame_name", "");
  }

  Status CheckBackEdges() const {
    for (NodeId id : order_.nodes) {
      if (PartOf(id) != ControlFlow::kMerge) continue;
      for (Endpoint e : graph_.inputs(id)) {
        if (feeds_.Contains(e) || PartOf(e.node) != ControlFlow::kNextIteration) continue;
        if (InFrame(e.node) != InFrame(id)) return DifferentFrames(id, id, e.node);
      }
    }
    return OkStatus();
  }

  Status CheckFetches() const {
    for (Endpoint e : request_.fetches) {
      if (e.index != Endpoint::kControl && feeds_.Contains(e)) continue;
      if (OutFrame(e.node) == 0) continue;
      return InvalidArgument(
          "Operation '", graph_.nodes[e.node].name,
          "' has been marked as not fetchable: the node '", graph_.nodes[e.node].name,
          "' is in the loop '", FrameName(order_.loops[OutFrame(e.node)].enters[0]),
          "' and has a value in each iteration; fetch the output of an Exit instead");
    }
    return OkStatus();
  }

  // Sorts the units of each level separately; a loop is one unit.
  Status SortLoops() {
    FindLevelEdges();
    std::vector<NodeId> all;
    all.reserve(order_.nodes.size());
    for (size_t l = 0; l < order_.loops.size(); ++l) {
      RAMET_RETURN_IF_ERROR(SortLevel(static_cast<int32_t>(l)));
    }
    Flatten(0, &all);
    order_.nodes = std::move(all);
    return OkStatus();
  }

  // Units are numbered: a node by its id, loop l as -1 - l.
  void FindLevelEdges() {
    members_.resize(order_.loops.size());
    for (size_t l = 1; l < order_.loops.size(); ++l) {
      members_[order_.loops[l].parent].push_back(-1 - static_cast<NodeId>(l));
    }
    for (NodeId id : order_.nodes) {
      members_[LevelOf(id)].push_back(id);
      if (PartOf(id) == ControlFlow::kEnter) AddEdge(id, -1 - entered_.at(id));
      const bool exit = PartOf(id) == ControlFlow::kExit;
      if (exit) AddEdge(-1 - InFrame(id), id);
      ForEachForwardSource(id, [&](Endpoint e) {
        if (!exit && PartOf(e.node) != ControlFlow::kEnter) AddEdge(e.node, id);
      });
    }
  }

  void AddEdge(NodeId from, NodeId to) {
    readers_[from].push_back(to);
    ++waiting_[to];
  }

  Status SortLevel(int32_t level) {
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (NodeId unit : members_[level]) {
      if (waiting_[unit] == 0) ready.push(unit);
    }
    auto& units = order_.loops[level].units;
    while (!ready.empty()) {
      const NodeId unit = ready.top();
      ready.pop();
      units.push_back(unit >= 0 ? RunOrder::Unit{unit, -1} : RunOrder::Unit{-1, -1 - unit});
      auto readers = readers_.find(unit);
      if (readers == readers_.end()) continue;
      for (NodeId reader : readers->second) {
        if (--waiting_[reader] == 0) ready.push(reader);
      }
    }
    if (units.size() == members_[level].size()) return OkStatus();
    for (NodeId unit : members_[level]) {
      if (unit >= 0 || waiting_[unit] == 0) continue;
      return InvalidArgument("the loop that {{node ", order_.loops[-1 - unit].name,
                             "}} enters needs a value that depends on the loop's own result");
    }
    return InvalidArgument("nodes of a loop are in a cycle");
  }

  void Flatten(int32_t level, std::vector<NodeId>* all) const {
    for (const RunOrder::Unit& unit : order_.loops[level].units) {
      unit.loop >= 0 ? Flatten(unit.loop, all) : all->push_back(unit.node);
    }
  }

  void FindMortal() {
    auto& may_be_dead = order_.may_be_dead;
    for (NodeId id : order_.nodes) {
      switch (PartOf(id)) {
        case ControlFlow::kControlTrigger: break;
        case ControlFlow::kSwitch:
        case ControlFlow::kExit: may_be_dead.insert(id); break;
        case ControlFlow::kEnter:
          if (!IsConstantEnter(id) || AnySourceMortal(id)) may_be_dead.insert(id);
          break;
        case ControlFlow::kMerge:
          if (AllInputsMortal(id)) may_be_dead.insert(id);
          break;
        default:
          if (AnySourceMortal(id)) may_be_dead.insert(id);
      }
    }
  }

  // Reports whether an Enter's value is available in all iterations. That of others is only in the
  // first.
  bool IsConstantEnter(NodeId id) const {
    return graph_.nodes[id].attrs->GetOr<bool>("is_constant", false);
  }

  bool AnySourceMortal(NodeId id) const {
    bool any = false;
    ForEachSource(id, [&](Endpoint e) { any = any || order_.may_be_dead.contains(e.node); });
    return any;
  }

  bool AllInputsMortal(NodeId id) const {
    return std::ranges::all_of(graph_.inputs(id), [&](Endpoint e) {
      if (feeds_.Contains(e)) return false;
      return order_.may_be_dead.contains(e.node) || PartOf(e.node) == ControlFlow::kNextIteration;
    });
  }

  // Finds the nodes that must be computed. A node whose outputs nothing reads is only waited for;
  // without an effect of its own it need not run (TensorFlow's dependency optimizer does the same).
  // For example, the gradient of a fed tensor is not computed just because a training step waits
  // for all gradients of an op. A node that may be dead is kept, because it determines whether the
  // nodes that wait for it are dead.
  void FindComputed() {
    std::vector<NodeId> stack;
    auto visit = [&](NodeId id) {
      if (order_.computed.insert(id).second) stack.push_back(id);
    };
    for (Endpoint e : request_.fetches) {
      if (needed_.contains(e.node)) visit(e.node);
    }
    for (NodeId id : order_.nodes) {
      if (HasEffect(id)) visit(id);
      for (Endpoint e : graph_.controls(id)) {
        if (order_.may_be_dead.contains(e.node)) visit(e.node);
      }
    }
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      for (Endpoint e : graph_.inputs(id)) {
        if (!feeds_.Contains(e)) visit(e.node);
      }
    }
  }

  bool HasEffect(NodeId id) const {
    const NodeRecord& node = graph_.nodes[id];
    if (node.num_inputs == 0 || !node.op->registered() || node.op->schema().is_stateful)
      return true;
    return std::ranges::any_of(node.op->schema().inputs, &ArgSchema::is_ref);
  }

  const GraphData& graph_;
  const PlanRequest& request_;
  const FeedSet& feeds_;
  RunOrder order_;
  std::unordered_set<NodeId> needed_;
  std::unordered_map<NodeId, int32_t> frame_;    // of nodes inside loops
  std::unordered_map<NodeId, int32_t> entered_;  // the loop frame into which an Enter leads
  std::map<std::pair<int32_t, std::string>, int32_t> loop_of_name_;
  std::vector<std::vector<NodeId>> members_;
  std::unordered_map<NodeId, std::vector<NodeId>> readers_;
  std::unordered_map<NodeId, int> waiting_;
};

}  // namespace

FeedSet::FeedSet(const GraphData& graph, const PlanRequest& request) : graph_(graph) {
  for (Endpoint e : request.feeds) fed_.insert(Key(e));
}

bool FeedSet::IsFedPlaceholder(NodeId id) const {
  const std::string& type = graph_.nodes[id].op->name();
  return (type == "Placeholder" || type == "PlaceholderV2") && Contains({id, 0});
}

StatusOr<RunOrder> OrderNodes(const GraphData& graph, const PlanRequest& request,
                              const FeedSet& feeds) {
  return Orderer(graph, request, feeds).Run();
}

}  // namespace ramet
