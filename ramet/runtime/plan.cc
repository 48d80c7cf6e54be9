#include "ramet/runtime/plan.h"

#include <algorithm>
#include <map>
#include <new>
#include <unordered_map>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/host_memory.h"
#include "ramet/runtime/merge_steps.h"
#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/run_order.h"

namespace ramet {
namespace {

struct EndpointHash {
  size_t operator()(Endpoint e) const {
    return std::hash<int64_t>()((static_cast<int64_t>(e.node) << 20) ^ e.index);
  }
};

uint64_t Bit(int i) { return i < 64 ? uint64_t{1} << i : 0; }

class Compiler {
 public:
  Compiler(const GraphImpl& graph, const PlanRequest& request, KernelSource& source)
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
    plan_->several_memories =
        std::ranges::any_of(placement, [&](int d) { return HasOwnMemory(d); });
    RAMET_RETURN_IF_ERROR(AddLevel(order_.loops[0]));
    Fetch();
    if (!plan_->several_memories) PlanReleases(plan_.get());
    if (plan_->has_control_flow) PlanMerges();
    FindInitializers();
    plan_->may_write = std::ranges::any_of(plan_->steps, [](const Step& step) {
      return step.ref_inputs != 0 || step.kind == Step::Kind::kCall;
    });
    plan_->set_merged(MergeSteps(graph_, *plan_));
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
    step.kind = Step::Kind::kLoop;
    step.node = loop.enters[0];
    step.loop = static_cast<int32_t>(index);
    plan_->steps.push_back(step);
    PlanLoop made;
    made.first_step = static_cast<int32_t>(plan_->steps.size());
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
    made.end_step = static_cast<int32_t>(plan_->steps.size());
    plan_->loops[index] = std::move(made);
    return OkStatus();
  }

  bool IsComputed(NodeId id) const { return order_.computed.contains(id); }

  Status AddNode(NodeId id) {
    const NodeRecord& node = graph_.nodes[id];
    const bool mortal = order_.mortal.contains(id);
    const bool nothing = node.op->name() == "NoOp";
    if ((nothing && !mortal) || !IsComputed(id)) return OkStatus();
    const int device = device_of_[id];
    const int32_t first_output = plan_->num_slots;
    for (int i = 0; i < node.num_outputs; ++i) slot_of_.try_emplace({id, i}, first_output + i);
    plan_->num_slots += node.num_outputs;
    Step step;
    step.node = id;
    step.device = device;
    step.first_output = first_output;
    step.num_outputs = node.num_outputs;
    step.mortal = mortal;
    if (mortal) SetGuards(id, &step);
    if (nothing) {
      step.kind = Step::Kind::kNothing;
      return AddStep(step);
    }
    if (node.op->name() == "Const" && !HasOwnMemory(device)) return AddConstant(node, step);
    if (ControlFlowOf(*node.op) != ControlFlow::kNone) return AddControlFlow(id, step);
    if (FunctionCallOf(*node.op) != FunctionCallKind::kNone || !node.op->registered()) {
      RAMET_ASSIGN_OR_RETURN(auto call, source_.CallFor(graph_, id, VariableDevices(id)));
      if (call != nullptr) return AddCall(id, std::move(call), step);
    }
    RAMET_RETURN_IF_ERROR(Classify(node, &step));
    SetInputs(id, &step);
    RAMET_ASSIGN_OR_RETURN(auto kernel, source_.KernelFor(graph_, id, device));
    step.kernel = kernel.get();
    plan_->kernels.push_back(std::move(kernel));
    return AddStep(step);
  }

  // A call runs on the host, wherever the nodes of the function do.
  Status AddCall(NodeId id, std::shared_ptr<FunctionCall> call, Step& step) {
    device_of_[id] = 0;
    step.device = 0;
    step.kind = Step::Kind::kCall;
    step.call = static_cast<int32_t>(plan_->calls.size());
    plan_->calls.push_back(std::move(call));
    RAMET_RETURN_IF_ERROR(Classify(graph_.nodes[id], &step));
    SetInputs(id, &step);
    return AddStep(step);
  }

  // In whose memory the variables are that the inputs name; empty where all are in the host's.
  std::vector<int> VariableDevices(NodeId id) const {
    std::vector<int> devices;
    if (!plan_->several_memories && variable_of_feed_.empty()) return devices;
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

  void SetInputs(NodeId id, Step* step) {
    std::vector<int32_t> slots;
    auto inputs = graph_.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      slots.push_back(SlotFor(inputs[i], static_cast<int>(i), *step));
    }
    SetInputs(step, slots);
  }

  Status AddStep(const Step& step) {
    if (plan_->has_control_flow) step_of_[step.node] = static_cast<int32_t>(plan_->steps.size());
    plan_->steps.push_back(step);
    return OkStatus();
  }

  // A control input that is dead makes a node dead.
  void SetGuards(NodeId id, Step* step) {
    if (ControlFlowOf(*graph_.nodes[id].op) == ControlFlow::kMerge) return;
    step->first_guard = static_cast<int32_t>(plan_->guards.size());
    for (Endpoint e : graph_.controls(id)) {
      if (!order_.mortal.contains(e.node)) continue;
      plan_->guards.push_back(step_of_.at(e.node));
    }
    step->num_guards = static_cast<int32_t>(plan_->guards.size()) - step->first_guard;
  }

  // A constant's value is there before the run; one that may be dead is passed on where it is not.
  Status AddConstant(const NodeRecord& node, Step& step) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, node.attrs->Get<Tensor>("value"));
    if (!step.mortal) {
      plan_->presets.emplace_back(step.first_output, std::move(value));
      return OkStatus();
    }
    const int32_t slot = plan_->num_slots++;
    plan_->presets.emplace_back(slot, std::move(value));
    step.kind = Step::Kind::kMove;
    SetInputs(&step, {slot});
    return AddStep(step);
  }

  Status AddControlFlow(NodeId id, Step& step) {
    const ControlFlow part = ControlFlowOf(*graph_.nodes[id].op);
    std::vector<int32_t> slots;
    if (part == ControlFlow::kExit) {
      slots.push_back(result_of_.at(id));
    } else {
      RAMET_RETURN_IF_ERROR(Classify(graph_.nodes[id], &step));
      if (part == ControlFlow::kNextIteration) step.device = device_of_.at(MergeAfter(id));
      auto inputs = graph_.inputs(id);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const bool goes_around = part == ControlFlow::kMerge && IsNextIteration(inputs[i]);
        slots.push_back(goes_around ? slot_of_.at(inputs[i])
                                    : SlotFor(inputs[i], static_cast<int>(i), step));
      }
    }
    if (part == ControlFlow::kNextIteration) step.first_output = slot_of_.at({id, 0});
    step.kind = part == ControlFlow::kSwitch           ? Step::Kind::kSwitch
                : part == ControlFlow::kMerge          ? Step::Kind::kMerge
                : part == ControlFlow::kControlTrigger ? Step::Kind::kNothing
                                                       : Step::Kind::kMove;
    SetInputs(&step, slots);
    return AddStep(step);
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

  void SetInputs(Step* step, const std::vector<int32_t>& slots) {
    step->first_input = static_cast<int32_t>(plan_->input_slots.size());
    step->num_inputs = static_cast<int32_t>(slots.size());
    plan_->input_slots.insert(plan_->input_slots.end(), slots.begin(), slots.end());
    plan_->most_inputs = std::max(plan_->most_inputs, step->num_inputs);
  }

  // Which inputs are references, and which inputs and outputs stay in host memory.
  Status Classify(const NodeRecord& node, Step* step) const {
    const OpSchema& schema = node.op->schema();
    RAMET_ASSIGN_OR_RETURN(auto types, schema.Expand(schema.inputs, *node.attrs));
    for (size_t i = 0; i < types.size(); ++i) {
      if (IsRef(types[i]) || types[i] == DType::kResource) {
        step->ref_inputs |= Bit(static_cast<int>(i));
      }
    }
    if (!HasOwnMemory(step->device)) return OkStatus();
    step->host_inputs = HostBits(*node.op, schema.inputs, *node.attrs);
    step->host_outputs = HostBits(*node.op, schema.outputs, *node.attrs);
    return OkStatus();
  }

  static uint64_t HostBits(const Op& op, const std::vector<ArgSchema>& args, const AttrMap& attrs) {
    uint64_t bits = 0;
    const std::vector<bool> host = InHostMemory(op, args, attrs);
    for (size_t i = 0; i < host.size(); ++i) {
      if (host[i]) bits |= Bit(static_cast<int>(i));
    }
    return bits;
  }

  // The device whose memory holds an output; 0 stands for host memory.
  int MemoryOf(Endpoint e) const {
    if (IsFed(e)) return 0;
    const NodeRecord& node = graph_.nodes[e.node];
    if (ControlFlowOf(*node.op) == ControlFlow::kExit) return MemoryOf(graph_.inputs(e.node)[0]);
    const int device = device_of_.at(e.node);
    if (!HasOwnMemory(device)) return 0;
    uint64_t host = HostBits(*node.op, node.op->schema().outputs, *node.attrs);
    return host & Bit(e.index) ? 0 : device;
  }

  int32_t SlotFor(Endpoint e, int input, const Step& step) {
    const int32_t slot = slot_of_.at(e);
    if (!plan_->several_memories || (step.ref_inputs & Bit(input))) return slot;
    if (graph_.output(e).dtype == DType::kResource) return slot;
    const bool host = !HasOwnMemory(step.device) || (step.host_inputs & Bit(input));
    return InMemory(e, slot, host ? 0 : step.device);
  }

  int32_t InMemory(Endpoint e, int32_t slot, int wanted) {
    const int have = MemoryOf(e);
    if (have == wanted) return slot;
    if (have != 0) slot = Copied(e, slot, Step::Kind::kCopyToHost, have, 0);
    return wanted == 0 ? slot : Copied(e, slot, Step::Kind::kCopyToDevice, wanted, wanted);
  }

  int32_t Copied(Endpoint e, int32_t from, Step::Kind kind, int device, int memory) {
    auto [it, added] = copies_.try_emplace({e.node, e.index, memory}, plan_->num_slots);
    if (!added) return it->second;
    Step step;
    step.kind = kind;
    step.node = e.node;
    step.device = device;
    step.first_output = plan_->num_slots++;
    step.num_outputs = 1;
    step.mortal = order_.mortal.contains(e.node);
    SetInputs(&step, {from});
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
    for (int32_t slot : plan_->input_slots) ++readers[slot];
    for (int32_t slot : plan_->fetch_slots) {
      if (slot >= 0) readers[slot] += 2;
    }
    std::vector<bool> carried(plan_->num_slots, false);
    for (const PlanLoop& loop : plan_->loops) {
      for (int32_t slot : loop.enters) carried[slot] = true;
      for (int32_t slot : loop.next) carried[slot] = true;
    }
    for (Step& step : plan_->steps) {
      if (step.kind != Step::Kind::kMerge) continue;
      step.index_used = readers[step.first_output + 1] > 0;
      for (int i = 0; i < step.num_inputs; ++i) {
        const int32_t slot = Slot(step, i);
        if (carried[slot] && readers[slot] == 1) step.forwardable |= Bit(i);
      }
    }
  }

  int32_t Slot(const Step& step, int input) const {
    return plan_->input_slots[step.first_input + input];
  }

  void FindInitializers() {
    for (size_t v = 0; v < graph_.variables.size(); ++v) {
      const Operation& initializer = graph_.variables[v].initializer;
      if (initializer.valid() && device_of_.contains(initializer.id())) {
        plan_->initializes.push_back(static_cast<VariableId>(v));
      }
    }
  }

  const GraphImpl& graph_;
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

std::unique_ptr<Frame> Plan::TakeFrame() {
  {
    std::lock_guard lock(mutex_);
    if (!frames_.empty()) {
      auto frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  frame->values.resize(num_slots);
  frame->scratch = StepScratch(most_inputs);
  if (has_control_flow) {
    frame->dead.resize(num_slots);
    frame->dead_steps.resize(steps.size());
  }
  for (auto& [slot, value] : presets) frame->values[slot].tensor = value;
  return frame;
}

void Plan::ReturnFrame(std::unique_ptr<Frame> frame) {
  std::lock_guard lock(mutex_);
  try {
    frames_.push_back(std::move(frame));
  } catch (const std::bad_alloc&) {
    // The next run makes another one. A destructor calls this.
  }
}

StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphImpl& graph, const PlanRequest& request,
                                            KernelSource& source) {
  return Compiler(graph, request, source).Run();
}

}  // namespace ramet
