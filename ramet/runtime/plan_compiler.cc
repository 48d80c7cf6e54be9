#include "ramet/runtime/plan_compiler.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/host_memory.h"
#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/run_order.h"

namespace ramet {
namespace {

struct EndpointHash {
  size_t operator()(Endpoint e) const {
    return std::hash<int64_t>()((static_cast<int64_t>(e.node) << 20) ^ e.index);
  }
};

class Compiler {
 public:
  Compiler(const GraphData& graph, const PlanRequest& request, KernelSource& source)
      : graph_(graph),
        request_(request),
        source_(source),
        feeds_(graph, request),
        plan_(std::make_unique<Plan>()) {}

  StatusOr<std::unique_ptr<Plan>> Run() {
    plan_->request = request_;
    plan_->edit_version = graph_.edit_version;
    for (size_t i = 0; i < request_.feeds.size(); ++i) {
      const Endpoint e = request_.feeds[i];
      if (i < request_.feed_devices.size()) variable_of_feed_[e] = request_.feed_devices[i];
      plan_->feed_slots.push_back(plan_->num_slots);
      slot_of_[e] = plan_->num_slots++;
    }
    RAMET_ASSIGN_OR_RETURN(order_, OrderNodes(graph_, request_, feeds_));
    plan_->has_control_flow = order_.has_control_flow;
    RAMET_ASSIGN_OR_RETURN(std::vector<int> placement, source_.Place(graph_, order_.nodes));
    for (size_t i = 0; i < placement.size(); ++i) device_of_[order_.nodes[i]] = placement[i];
    plan_->nodes = order_.nodes;
    plan_->node_devices.assign(placement.begin(), placement.end());
    plan_->has_several_memories =
        std::ranges::any_of(placement, [&](int d) { return HasOwnMemory(d); });
    RAMET_RETURN_IF_ERROR(AddLevel(order_.loops[0]));
    Fetch();
    if (!plan_->has_several_memories) PlanReleases(plan_.get());
    if (plan_->has_control_flow) PlanMerges();
    FindInitializers();
    plan_->may_write = std::ranges::any_of(plan_->steps, [this](const Step& step) {
      return plan_->HasRefInputs(step) || step.Is<CallStep>();
    });
    plan_->host_slots.resize(plan_->num_slots);
    return std::move(plan_);
  }

 private:
  bool HasOwnMemory(int device) const { return source_.devices()[device]->memory() != nullptr; }
  bool IsFed(Endpoint e) const { return feeds_.Contains(e); }

  Status AddLevel(const RunOrder::Loop& level) {
    for (const RunOrder::Unit& unit : level.units) {
      if (unit.loop >= 0) {
        RAMET_RETURN_IF_ERROR(AddLoop(order_.loops[unit.loop]));
      } else {
        RAMET_RETURN_IF_ERROR(AddNode(unit.node));
      }
    }
    return OkStatus();
  }

  // A step kLoop, and those of the loop.
  Status AddLoop(const RunOrder::Loop& loop) {
    if (std::ranges::none_of(loop.enters, [&](NodeId id) { return IsComputed(id); })) {
      return OkStatus();
    }
    const size_t index = plan_->loops.size();
    plan_->loops.emplace_back();
    Step step;
    step.work = LoopStep{static_cast<int32_t>(index)};
    step.node = loop.enters[0];
    plan_->steps.push_back(step);
    PlanLoop made;
    made.steps.first = static_cast<int32_t>(plan_->steps.size());
    for (NodeId id : loop.enters) {
      if (!IsComputed(id)) continue;
      const bool constant = graph_.nodes[id].attrs->GetOr<bool>("is_constant", false);
      (constant ? made.constants : made.enters).push_back(slot_of_.at({id, 0}));
    }
    for (NodeId id : loop.next_iterations) {
      if (!IsComputed(id)) continue;
      slot_of_[{id, 0}] = plan_->num_slots;
      made.next.push_back(plan_->num_slots++);
    }
    RAMET_RETURN_IF_ERROR(AddLevel(loop));
    for (NodeId id : loop.exits) {
      if (!IsComputed(id)) continue;
      result_of_[id] = plan_->num_slots;
      made.results.emplace_back(slot_of_.at(graph_.inputs(id)[0]), plan_->num_slots++);
    }
    made.steps.size = static_cast<int32_t>(plan_->steps.size()) - made.steps.first;
    plan_->loops[index] = std::move(made);
    return OkStatus();
  }

  bool IsComputed(NodeId id) const { return order_.computed.contains(id); }

  Status AddNode(NodeId id) {
    const NodeRecord& node = graph_.nodes[id];
    const bool may_be_dead = order_.may_be_dead.contains(id);
    const bool is_no_op = node.op->name() == "NoOp";
    if ((is_no_op && !may_be_dead) || !IsComputed(id)) return OkStatus();
    Step step;
    step.node = id;
    step.device = device_of_[id];
    step.outputs = {plan_->num_slots, node.num_outputs};
    for (int i = 0; i < node.num_outputs; ++i) slot_of_.try_emplace({id, i}, plan_->num_slots + i);
    plan_->num_slots += node.num_outputs;
    step.may_be_dead = may_be_dead;
    if (may_be_dead) SetControlInputs(id, &step);
    if (is_no_op) {
      step.work = NoOpStep();
      return AddStep(step);
    }
    if (node.op->name() == "Const" && !HasOwnMemory(step.device)) return AddConstant(node, step);
    if (ControlFlowOf(*node.op) != ControlFlow::kNone) return AddControlFlow(id, step);
    if (FunctionCallOf(*node.op) != FunctionCallKind::kNone || !node.op->registered()) {
      RAMET_ASSIGN_OR_RETURN(auto call, source_.CallFor(graph_, id, VariableDevices(id)));
      if (call != nullptr) return AddCall(id, std::move(call), step);
    }
    RAMET_RETURN_IF_ERROR(SetInputs(id, &step));
    RAMET_ASSIGN_OR_RETURN(auto kernel, source_.KernelFor(graph_, id, step.device));
    step.work = KernelStep{kernel.get()};
    plan_->kernels.push_back(std::move(kernel));
    return AddStep(step);
  }

  // A call runs on the host, whatever devices the function's nodes are on.
  Status AddCall(NodeId id, std::shared_ptr<FunctionCall> call, Step& step) {
    device_of_[id] = 0;
    step.device = 0;
    step.work = CallStep{static_cast<int32_t>(plan_->calls.size())};
    plan_->calls.push_back(std::move(call));
    RAMET_RETURN_IF_ERROR(SetInputs(id, &step));
    return AddStep(step);
  }

  // In whose memory the variables are that the inputs name; empty where all are in the host's.
  std::vector<int> VariableDevices(NodeId id) const {
    std::vector<int> devices;
    if (!plan_->has_several_memories && variable_of_feed_.empty()) return devices;
    for (Endpoint e : graph_.inputs(id)) {
      const bool handle = graph_.output(e).dtype == DType::kResource;
      devices.push_back(handle ? VariableDevice(e) : 0);
    }
    return devices;
  }

  int VariableDevice(Endpoint handle) const {
    if (auto fed = variable_of_feed_.find(handle); fed != variable_of_feed_.end()) {
      return fed->second;
    }
    if (IsFed(handle)) return 0;
    const int device = device_of_.at(handle.node);
    return HasOwnMemory(device) ? device : 0;
  }

  // Sets the inputs of a node's step, with a copy to the device's memory where one is needed, and
  // notes which outputs stay in host memory.
  Status SetInputs(NodeId id, Step* step) {
    RAMET_ASSIGN_OR_RETURN(std::vector<StepInput> inputs, ClassifyInputs(id, step->device));
    const auto endpoints = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].slot = SlotFor(endpoints[i], inputs[i], *step);
    }
    SetInputs(step, inputs);
    SetHostOutputs(*step);
    return OkStatus();
  }

  void SetInputs(Step* step, const std::vector<StepInput>& inputs) {
    step->inputs = {static_cast<int32_t>(plan_->inputs.size()),
                    static_cast<int32_t>(inputs.size())};
    plan_->inputs.insert(plan_->inputs.end(), inputs.begin(), inputs.end());
    plan_->max_inputs = std::max(plan_->max_inputs, step->inputs.size);
  }

  // Determines which inputs of a node are references and which are in host memory.
  StatusOr<std::vector<StepInput>> ClassifyInputs(NodeId id, int device) const {
    const NodeRecord& node = graph_.nodes[id];
    const OpSchema& schema = node.op->schema();
    RAMET_ASSIGN_OR_RETURN(auto types, schema.Expand(schema.inputs, *node.attrs));
    std::vector<StepInput> inputs(graph_.inputs(id).size());
    std::vector<bool> host;
    if (HasOwnMemory(device)) host = InHostMemory(*node.op, schema.inputs, *node.attrs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i < types.size()) inputs[i].is_ref = IsRef(types[i]) || types[i] == DType::kResource;
      inputs[i].in_host_memory = i < host.size() && host[i];
    }
    return inputs;
  }

  void SetHostOutputs(const Step& step) {
    if (!HasOwnMemory(step.device)) return;
    const NodeRecord& node = graph_.nodes[step.node];
    const std::vector<bool> host = InHostMemory(*node.op, node.op->schema().outputs, *node.attrs);
    plan_->host_slots.resize(plan_->num_slots);
    for (size_t i = 0; i < host.size() && static_cast<int>(i) < step.outputs.size; ++i) {
      plan_->host_slots[step.outputs.first + i] = host[i];
    }
  }

  Status AddStep(const Step& step) {
    if (plan_->has_control_flow) step_of_[step.node] = static_cast<int32_t>(plan_->steps.size());
    plan_->steps.push_back(step);
    return OkStatus();
  }

  // A node is dead if one of its control inputs is.
  void SetControlInputs(NodeId id, Step* step) {
    if (ControlFlowOf(*graph_.nodes[id].op) == ControlFlow::kMerge) return;
    step->control_inputs.first = static_cast<int32_t>(plan_->control_inputs.size());
    for (Endpoint e : graph_.controls(id)) {
      if (!order_.may_be_dead.contains(e.node)) continue;
      plan_->control_inputs.push_back(step_of_.at(e.node));
      ++step->control_inputs.size;
    }
  }

  // A constant is in its slot before the run. One that may be dead is moved from there by a step.
  Status AddConstant(const NodeRecord& node, Step& step) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, node.attrs->Get<Tensor>("value"));
    if (!step.may_be_dead) {
      plan_->presets.emplace_back(step.outputs.first, std::move(value));
      return OkStatus();
    }
    const int32_t slot = plan_->num_slots++;
    plan_->presets.emplace_back(slot, std::move(value));
    step.work = MoveStep();
    SetInputs(&step, {{.slot = slot}});
    return AddStep(step);
  }

  Status AddControlFlow(NodeId id, Step& step) {
    const ControlFlow part = ControlFlowOf(*graph_.nodes[id].op);
    step.work = WorkOf(part);
    if (part == ControlFlow::kExit) {
      SetInputs(&step, {{.slot = result_of_.at(id)}});
      return AddStep(step);
    }
    if (part == ControlFlow::kNextIteration) {
      step.device = device_of_.at(MergeAfter(id));
      step.outputs.first = slot_of_.at({id, 0});
    }
    RAMET_ASSIGN_OR_RETURN(std::vector<StepInput> inputs, ClassifyInputs(id, step.device));
    const auto endpoints = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_back_edge = part == ControlFlow::kMerge && IsNextIteration(endpoints[i]);
      inputs[i].slot =
          is_back_edge ? slot_of_.at(endpoints[i]) : SlotFor(endpoints[i], inputs[i], step);
    }
    SetInputs(&step, inputs);
    SetHostOutputs(step);
    return AddStep(step);
  }

  static StepWork WorkOf(ControlFlow part) {
    switch (part) {
      case ControlFlow::kSwitch: return SwitchStep();
      case ControlFlow::kMerge: return MergeStep();
      case ControlFlow::kControlTrigger: return NoOpStep();
      default: return MoveStep();
    }
  }

  bool IsNextIteration(Endpoint e) const {
    return !IsFed(e) && ControlFlowOf(*graph_.nodes[e.node].op) == ControlFlow::kNextIteration;
  }

  // The Merge that a NextIteration leads to; the NextIteration itself if there is none.
  NodeId MergeAfter(NodeId next) {
    if (merge_after_.empty()) {
      for (NodeId id : order_.nodes) {
        if (ControlFlowOf(*graph_.nodes[id].op) != ControlFlow::kMerge) continue;
        for (Endpoint e : graph_.inputs(id)) {
          if (IsNextIteration(e)) merge_after_.try_emplace(e.node, id);
        }
      }
    }
    auto it = merge_after_.find(next);
    return it == merge_after_.end() ? next : it->second;
  }

  // The device whose memory holds an output; 0 stands for host memory.
  int MemoryOf(Endpoint e) const {
    if (IsFed(e)) return 0;
    const NodeRecord& node = graph_.nodes[e.node];
    if (ControlFlowOf(*node.op) == ControlFlow::kExit) return MemoryOf(graph_.inputs(e.node)[0]);
    const int device = device_of_.at(e.node);
    if (!HasOwnMemory(device)) return 0;
    const std::vector<bool> host = InHostMemory(*node.op, node.op->schema().outputs, *node.attrs);
    return static_cast<size_t>(e.index) < host.size() && host[e.index] ? 0 : device;
  }

  int32_t SlotFor(Endpoint e, const StepInput& input, const Step& step) {
    const int32_t slot = slot_of_.at(e);
    if (!plan_->has_several_memories || input.is_ref) return slot;
    if (graph_.output(e).dtype == DType::kResource) return slot;
    const bool host = !HasOwnMemory(step.device) || input.in_host_memory;
    return InMemory(e, slot, host ? 0 : step.device);
  }

  int32_t InMemory(Endpoint e, int32_t slot, int wanted) {
    const int have = MemoryOf(e);
    if (have == wanted) return slot;
    if (have != 0) slot = Copied(e, slot, CopyToHostStep(), have, 0);
    return wanted == 0 ? slot : Copied(e, slot, CopyToDeviceStep(), wanted, wanted);
  }

  int32_t Copied(Endpoint e, int32_t from, StepWork work, int device, int memory) {
    auto [it, added] = copies_.try_emplace({e.node, e.index, memory}, plan_->num_slots);
    if (!added) return it->second;
    Step step;
    step.work = work;
    step.node = e.node;
    step.device = device;
    step.outputs = {plan_->num_slots++, 1};
    step.may_be_dead = order_.may_be_dead.contains(e.node);
    SetInputs(&step, {{.slot = from}});
    plan_->steps.push_back(step);
    return it->second;
  }

  void Fetch() {
    for (Endpoint e : request_.fetches) {
      int32_t slot = e.index == Endpoint::kControl ? -1 : slot_of_.at(e);
      if (slot >= 0 && graph_.output(e).dtype != DType::kResource) slot = InMemory(e, slot, 0);
      plan_->fetch_slots.push_back(slot);
    }
  }

  // A Merge takes over what comes around a loop if nobody else reads it, and says where its value
  // came from only if somebody asks.
  void PlanMerges() {
    std::vector<int> readers(plan_->num_slots, 0);
    for (const StepInput& input : plan_->inputs) ++readers[input.slot];
    for (int32_t slot : plan_->fetch_slots) {
      if (slot >= 0) readers[slot] += 2;
    }
    std::vector<bool> carried(plan_->num_slots, false);
    for (const PlanLoop& loop : plan_->loops) {
      for (int32_t slot : loop.enters) carried[slot] = true;
      for (int32_t slot : loop.next) carried[slot] = true;
    }
    for (Step& step : plan_->steps) {
      auto* const merge = std::get_if<MergeStep>(&step.work);
      if (merge == nullptr) continue;
      merge->index_used = readers[step.outputs.first + 1] > 0;
      for (StepInput& input : plan_->inputs_of(step)) {
        if (carried[input.slot] && readers[input.slot] == 1) input.is_last_use = true;
      }
    }
  }

  void FindInitializers() {
    for (size_t v = 0; v < graph_.variables.size(); ++v) {
      const Operation& initializer = graph_.variables[v].initializer;
      if (initializer.valid() && device_of_.contains(initializer.id())) {
        plan_->initializes.push_back(static_cast<VariableId>(v));
      }
    }
  }

  const GraphData& graph_;
  const PlanRequest& request_;
  KernelSource& source_;
  const FeedSet feeds_;
  RunOrder order_;
  std::unique_ptr<Plan> plan_;
  std::unordered_map<Endpoint, int32_t, EndpointHash> slot_of_;
  std::unordered_map<Endpoint, int, EndpointHash> variable_of_feed_;
  std::unordered_map<NodeId, int32_t> step_of_;
  std::unordered_map<NodeId, NodeId> merge_after_;
  std::unordered_map<NodeId, int32_t> result_of_;  // the slot outside that an Exit reads
  std::unordered_map<NodeId, int> device_of_;
  std::map<std::tuple<NodeId, int32_t, int>, int32_t> copies_;
};

}  // namespace

StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphData& graph, const PlanRequest& request,
                                            KernelSource& source) {
  return Compiler(graph, request, source).Run();
}

}  // namespace ramet
