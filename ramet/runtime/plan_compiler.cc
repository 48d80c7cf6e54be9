#include "ramet/runtime/plan_compiler.h"

#include <algorithm>
#include <unordered_map>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/host_arguments.h"
#include "ramet/runtime/node_devices.h"
#include "ramet/runtime/plan_builder.h"
#include "ramet/runtime/plan_merges.h"
#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/run_order.h"

namespace ramet {
namespace {

StepWork WorkOf(ControlFlow role) {
  switch (role) {
    case ControlFlow::kSwitch: return SwitchStep();
    case ControlFlow::kMerge: return MergeStep();
    case ControlFlow::kControlTrigger: return NoOpStep();
    default: return MoveStep();
  }
}

// Turns ordered and placed nodes into the steps of a plan.
class Compiler {
 public:
  Compiler(const GraphData& graph, const RunOrder& order, NodeDevices& devices,
           KernelSource& source, PlanData* plan)
      : graph_(graph),
        order_(order),
        devices_(devices),
        source_(source),
        plan_(*plan),
        builder_(graph, order, devices, plan) {}

  // Fills in everything but the plan's origin, which is given.
  Status Run() {
    plan_.traits.has_control_flow = order_.has_control_flow;
    plan_.traits.has_several_memories = devices_.has_several_memories();
    AddFeeds();
    RAMET_RETURN_IF_ERROR(AddUnits(order_.loops[0]));
    AddFetches();
    plan_.traits.has_releases = !devices_.has_asynchronous_device();
    if (plan_.traits.has_releases) PlanReleases(&plan_);
    if (plan_.traits.has_control_flow) PlanMerges(&plan_);
    plan_.traits.may_write = std::ranges::any_of(plan_.steps, [this](const Step& step) {
      return plan_.HasRefInputs(step) || step.Is<CallStep>();
    });
    return OkStatus();
  }

 private:
  bool IsComputed(NodeId id) const { return order_.computed.contains(id); }

  void AddFeeds() {
    for (Endpoint e : plan_.origin.request.feeds) {
      plan_.slots.feeds.push_back(builder_.NewSlots());
      builder_.SetSlot(e, plan_.slots.feeds.back());
    }
  }

  void AddFetches() {
    for (Endpoint e : plan_.origin.request.fetches) {
      plan_.slots.fetches.push_back(e.index == Endpoint::kControl ? -1 : FetchSlot(e));
    }
  }

  int32_t FetchSlot(Endpoint e) {
    const bool is_handle = graph_.output(e).dtype == DType::kResource;
    return is_handle ? builder_.SlotOf(e) : builder_.SlotInMemory(e, 0);
  }

  Status AddUnits(const RunOrder::Loop& level) {
    for (const RunOrder::Unit& unit : level.units) {
      RAMET_RETURN_IF_ERROR(unit.loop >= 0 ? AddLoop(order_.loops[unit.loop]) : AddNode(unit.node));
    }
    return OkStatus();
  }

  // Adds a LoopStep and the steps of the loop.
  Status AddLoop(const RunOrder::Loop& loop) {
    if (std::ranges::none_of(loop.enters, [&](NodeId id) { return IsComputed(id); })) {
      return OkStatus();
    }
    const size_t index = plan_.loops.size();
    plan_.loops.emplace_back();
    Step step;
    step.work = LoopStep{static_cast<int32_t>(index)};
    step.node = loop.enters[0];
    plan_.steps.push_back(step);
    PlanLoop made = BeginLoop(loop);
    made.steps.first = static_cast<int32_t>(plan_.steps.size());
    RAMET_RETURN_IF_ERROR(AddUnits(loop));
    made.steps.size = static_cast<int32_t>(plan_.steps.size()) - made.steps.first;
    AddResults(loop, &made);
    plan_.loops[index] = std::move(made);
    return OkStatus();
  }

  PlanLoop BeginLoop(const RunOrder::Loop& loop) {
    PlanLoop made;
    for (NodeId id : loop.enters) {
      if (!IsComputed(id)) continue;
      const bool constant = graph_.nodes[id].attrs->GetOr<bool>("is_constant", false);
      (constant ? made.constants : made.enters).push_back(builder_.SlotOf({id, 0}));
    }
    for (NodeId id : loop.next_iterations) {
      if (!IsComputed(id)) continue;
      made.next.push_back(builder_.NewSlots());
      builder_.SetSlot({id, 0}, made.next.back());
    }
    return made;
  }

  void AddResults(const RunOrder::Loop& loop, PlanLoop* made) {
    for (NodeId id : loop.exits) {
      if (!IsComputed(id)) continue;
      const int32_t outside = builder_.NewSlots();
      made->results.emplace_back(builder_.SlotOf(graph_.inputs(id)[0]), outside);
      result_of_[id] = outside;
    }
  }

  Status AddNode(NodeId id) {
    const NodeRecord& node = graph_.nodes[id];
    const bool is_no_op = node.op->name() == "NoOp";
    if (!IsComputed(id) || (is_no_op && !order_.may_be_dead.contains(id))) return OkStatus();
    Step step = StepOf(id);
    if (is_no_op) {
      step.work = NoOpStep();
      builder_.AddStep(step);
      return OkStatus();
    }
    if (node.op->name() == "Const" && !devices_.HasOwnMemory(step.device)) {
      return AddConstant(node, step);
    }
    if (ControlFlowOf(*node.op) != ControlFlow::kNone) return AddControlFlow(id, step);
    if (FunctionCallOf(*node.op) != FunctionCallKind::kNone || !node.op->registered()) {
      RAMET_ASSIGN_OR_RETURN(auto function,
                             source_.CallFor(graph_, id, devices_.VariableMemories(id)));
      if (function != nullptr) return AddCall(id, std::move(function), step);
    }
    step.is_constant = node.op->name() == "Const" && !order_.may_be_dead.contains(id);
    return AddKernel(id, step);
  }

  // Returns the step of a node without its work and inputs.
  Step StepOf(NodeId id) {
    Step step;
    step.node = id;
    step.device = devices_.Of(id);
    step.outputs = builder_.AddOutputs(id);
    step.may_be_dead = order_.may_be_dead.contains(id);
    if (step.may_be_dead) builder_.SetControlInputs(id, &step);
    return step;
  }

  // A constant is in its slot before the run. One that may be dead is moved from there by a step.
  Status AddConstant(const NodeRecord& node, Step& step) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, node.attrs->Get<Tensor>("value"));
    const int32_t slot = step.may_be_dead ? builder_.NewSlots() : step.outputs.first;
    plan_.slots.presets.emplace_back(slot, std::move(value));
    if (!step.may_be_dead) return OkStatus();
    step.work = MoveStep();
    builder_.SetInputs(&step, {{.slot = slot}});
    builder_.AddStep(step);
    return OkStatus();
  }

  Status AddControlFlow(NodeId id, Step& step) {
    const ControlFlow role = ControlFlowOf(*graph_.nodes[id].op);
    step.work = WorkOf(role);
    if (role == ControlFlow::kExit) {
      builder_.SetInputs(&step, {{.slot = result_of_.at(id)}});
    } else {
      if (role == ControlFlow::kNextIteration) step.outputs.first = builder_.SlotOf({id, 0});
      RAMET_RETURN_IF_ERROR(builder_.SetInputs(id, &step));
    }
    builder_.AddStep(step);
    return OkStatus();
  }

  // A call runs on the host, whatever devices the function's nodes are on.
  Status AddCall(NodeId id, std::shared_ptr<FunctionCall> function, Step& step) {
    devices_.MoveToHost(id);
    step.device = 0;
    step.work = CallStep{static_cast<int32_t>(plan_.callees.functions.size())};
    plan_.callees.functions.push_back(std::move(function));
    RAMET_RETURN_IF_ERROR(builder_.SetInputs(id, &step));
    builder_.AddStep(step);
    return OkStatus();
  }

  Status AddKernel(NodeId id, Step& step) {
    RAMET_RETURN_IF_ERROR(builder_.SetInputs(id, &step));
    RAMET_ASSIGN_OR_RETURN(auto kernel, source_.KernelFor(graph_, id, step.device));
    step.work = KernelStep{kernel.get()};
    plan_.callees.kernels.push_back(std::move(kernel));
    builder_.AddStep(step);
    return OkStatus();
  }

  const GraphData& graph_;
  const RunOrder& order_;
  NodeDevices& devices_;
  KernelSource& source_;
  PlanData& plan_;
  PlanBuilder builder_;
  std::unordered_map<NodeId, int32_t> result_of_;  // the slot outside that an Exit reads
};

// Returns the variables whose initializers are among the nodes.
std::vector<VariableId> FindInitialized(const GraphData& graph, const NodeDevices& nodes) {
  std::vector<VariableId> initialized;
  for (size_t v = 0; v < graph.variables.size(); ++v) {
    const Operation& initializer = graph.variables[v].initializer;
    if (initializer.valid() && nodes.Contains(initializer.id())) {
      initialized.push_back(static_cast<VariableId>(v));
    }
  }
  return initialized;
}

}  // namespace

StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphData& graph, const PlanRequest& request,
                                            KernelSource& source) {
  const FeedSet feeds(graph, request);
  RAMET_ASSIGN_OR_RETURN(const RunOrder order, OrderNodes(graph, request, feeds));
  RAMET_ASSIGN_OR_RETURN(const std::vector<int> placement, source.Place(graph, order.nodes));
  NodeDevices devices(graph, feeds, source.devices());
  devices.SetFeeds(request);
  std::vector<int> running = placement;
  KeepArgumentsOnHost(graph, order, feeds, source.devices(), &running);
  devices.SetNodes(order.nodes, running);
  auto plan = std::make_unique<Plan>();
  plan->origin = {.request = request,
                  .edit_version = graph.edit_version,
                  .nodes = order.nodes,
                  .node_devices = {placement.begin(), placement.end()},
                  .initializes = FindInitialized(graph, devices)};
  RAMET_RETURN_IF_ERROR(Compiler(graph, order, devices, source, plan.get()).Run());
  return plan;
}

}  // namespace ramet
