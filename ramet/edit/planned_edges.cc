#include "ramet/edit/planned_edges.h"

#include <algorithm>

#include "ramet/op/op.h"

namespace ramet {
namespace {

bool IsNextIteration(const GraphData& impl, NodeId id) {
  const std::string& type = impl.nodes[id].op->name();
  return type == "NextIteration" || type == "RefNextIteration";
}

// Tarjan's algorithm for strongly connected components, from the edited nodes toward their
// producers.
class Components {
 public:
  explicit Components(const EdgePlan& plan)
      : plan_(plan),
        order_(plan.impl().nodes.size(), 0),
        low_(plan.impl().nodes.size(), 0),
        component_(plan.impl().nodes.size(), -1) {
    for (const auto& [id, edges] : plan.edited()) {
      if (order_[id] == 0) Visit(id);
    }
  }

  bool Together(NodeId a, NodeId b) const {
    return component_[a] >= 0 && component_[a] == component_[b];
  }

 private:
  struct Frame {
    NodeId id;
    std::vector<NodeId> producers;
    size_t next = 0;
  };

  void Enter(NodeId id) {
    order_[id] = low_[id] = ++clock_;
    open_.push_back(id);
    path_.push_back({id, plan_.Producers(id)});
  }

  void Leave() {
    const NodeId id = path_.back().id;
    path_.pop_back();
    if (!path_.empty()) {
      const NodeId above = path_.back().id;
      low_[above] = std::min(low_[above], low_[id]);
    }
    if (low_[id] != order_[id]) return;
    for (NodeId member = -1; member != id;) {
      member = open_.back();
      open_.pop_back();
      component_[member] = num_components_;
    }
    ++num_components_;
  }

  void Visit(NodeId root) {
    Enter(root);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      if (frame.next == frame.producers.size()) {
        Leave();
        continue;
      }
      const NodeId producer = frame.producers[frame.next++];
      if (order_[producer] == 0) {
        Enter(producer);
      } else if (component_[producer] < 0) {
        low_[frame.id] = std::min(low_[frame.id], order_[producer]);
      }
    }
  }

  const EdgePlan& plan_;
  std::vector<int32_t> order_;
  std::vector<int32_t> low_;
  std::vector<int32_t> component_;
  std::vector<NodeId> open_;
  std::vector<Frame> path_;
  int32_t clock_ = 0;
  int32_t num_components_ = 0;
};

Status CycleError(const GraphData& impl, NodeId id, NodeId producer, const std::string& as_what) {
  return InvalidArgument("'", impl.nodes[producer].name, "' cannot be ", as_what, " of node '",
                         impl.nodes[id].name, "': it depends on that node, so this makes a cycle");
}

}  // namespace

PlannedEdges& EdgePlan::Edit(NodeId id) {
  auto [it, added] = edited_.try_emplace(id);
  if (added) {
    const auto inputs = impl_.inputs(id);
    it->second.inputs.assign(inputs.begin(), inputs.end());
    for (Endpoint e : impl_.controls(id)) it->second.controls.push_back(e.node);
  }
  return it->second;
}

std::vector<NodeId> EdgePlan::Producers(NodeId id) const {
  std::vector<NodeId> producers;
  auto add = [&](Endpoint e) {
    if (!IsNextIteration(impl_, e.node)) producers.push_back(e.node);
  };
  auto it = edited_.find(id);
  if (it != edited_.end()) {
    std::ranges::for_each(it->second.inputs, add);
    producers.insert(producers.end(), it->second.controls.begin(), it->second.controls.end());
    return producers;
  }
  std::ranges::for_each(impl_.inputs(id), add);
  for (Endpoint e : impl_.controls(id)) producers.push_back(e.node);
  return producers;
}

void EdgePlan::Write(GraphData& impl) const {
  for (const auto& [id, edges] : edited_) {
    NodeRecord& node = impl.nodes[id];
    const int32_t num_controls = static_cast<int32_t>(edges.controls.size());
    if (num_controls > node.num_controls) {
      node.first_edge = static_cast<int32_t>(impl.edges.size());
      impl.edges.resize(impl.edges.size() + edges.inputs.size() + edges.controls.size());
    }
    node.num_controls = num_controls;
    auto at = impl.edges.begin() + node.first_edge;
    at = std::ranges::copy(edges.inputs, at).out;
    for (NodeId control : edges.controls) *at++ = {control, Endpoint::kControl};
  }
}

Status CheckNoNewCycle(const EdgePlan& plan) {
  const GraphData& impl = plan.impl();
  const Components components(plan);
  for (const auto& [id, edges] : plan.edited()) {
    const auto old_inputs = impl.inputs(id);
    for (size_t i = 0; i < edges.inputs.size(); ++i) {
      const Endpoint input = edges.inputs[i];
      const bool is_new = input != old_inputs[i] && !IsNextIteration(impl, input.node);
      if (is_new && components.Together(id, input.node)) {
        return CycleError(impl, id, input.node, StrCat("input ", i));
      }
    }
    for (NodeId control : edges.controls) {
      const bool is_new = !std::ranges::count(impl.controls(id), control, &Endpoint::node);
      if (is_new && components.Together(id, control)) {
        return CycleError(impl, id, control, "a control input");
      }
    }
  }
  return OkStatus();
}

}  // namespace ramet
