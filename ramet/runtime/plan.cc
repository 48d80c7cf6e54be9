#include "ramet/runtime/plan.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>

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
      : graph_(graph), request_(request), source_(source), plan_(std::make_unique<Plan>()) {}

  StatusOr<std::unique_ptr<Plan>> Run() {
    plan_->request = request_;
    plan_->edit_version = graph_.edit_version;
    for (Endpoint e : request_.feeds) {
      plan_->feed_slots.push_back(plan_->num_slots);
      slot_of_[e] = plan_->num_slots++;
    }
    Prune();
    RAMET_RETURN_IF_ERROR(Order());
    FindComputed();
    RAMET_ASSIGN_OR_RETURN(placement_, source_.Place(graph_, order_));
    for (size_t i = 0; i < order_.size(); ++i) device_of_[order_[i]] = placement_[i];
    plan_->nodes = order_;
    plan_->node_devices.assign(placement_.begin(), placement_.end());
    plan_->several_memories =
        std::ranges::any_of(placement_, [&](int d) { return HasOwnMemory(d); });
    for (NodeId id : order_) RAMET_RETURN_IF_ERROR(AddNode(id));
    Fetch();
    if (!plan_->several_memories) PlanReleases();
    FindInitializers();
    return std::move(plan_);
  }

 private:
  bool HasOwnMemory(int device) const { return source_.devices()[device]->memory() != nullptr; }
  bool IsFed(Endpoint e) const {
    auto it = slot_of_.find(e);
    return it != slot_of_.end() && it->second < static_cast<int>(request_.feeds.size());
  }

  // What waits for a fed placeholder waits for nothing. (Nodes of other types that are fed still
  // run where something waits for them, as in TensorFlow.)
  bool IsFedPlaceholder(NodeId id) const {
    const std::string& type = graph_.nodes[id].op->name();
    return (type == "Placeholder" || type == "PlaceholderV2") && IsFed({id, 0});
  }

  bool IsDone(NodeId id) const { return std::ranges::count(request_.done, id) > 0; }

  void Prune() {
    std::vector<NodeId> stack;
    auto visit = [&](NodeId id) {
      if (needed_.insert(id).second) stack.push_back(id);
    };
    for (Endpoint e : request_.fetches) {
      if (e.index == Endpoint::kControl || !IsFed(e)) visit(e.node);
    }
    while (!stack.empty()) {
      NodeId id = stack.back();
      stack.pop_back();
      ForEachSource(id, visit);
    }
  }

  template <class Fn>
  void ForEachSource(NodeId id, Fn fn) const {
    for (Endpoint e : graph_.inputs(id)) {
      if (!IsFed(e)) fn(e.node);
    }
    for (Endpoint e : graph_.controls(id)) {
      if (!IsFedPlaceholder(e.node) && !IsDone(e.node)) fn(e.node);
    }
  }

  // Creation order, unless an edit has turned an edge around.
  Status Order() {
    order_.assign(needed_.begin(), needed_.end());
    std::ranges::sort(order_);
    bool forward = true;
    for (NodeId id : order_) ForEachSource(id, [&](NodeId from) { forward &= from < id; });
    return forward ? OkStatus() : SortTopologically();
  }

  Status SortTopologically() {
    std::unordered_map<NodeId, int> waiting;
    std::unordered_map<NodeId, std::vector<NodeId>> readers;
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (NodeId id : order_) {
      int count = 0;
      ForEachSource(id, [&](NodeId from) {
        readers[from].push_back(id);
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
    if (sorted.size() == order_.size()) {
      order_ = std::move(sorted);
      return OkStatus();
    }
    std::vector<std::string_view> stuck;
    for (NodeId id : order_) {
      if (waiting[id] > 0) RAMET_RETURN_IF_ERROR(CheckHasKernels(graph_.nodes[id]));
    }
    for (NodeId id : order_) {
      if (waiting[id] > 0 && stuck.size() < 5) stuck.push_back(graph_.nodes[id].name);
    }
    return InvalidArgument(order_.size() - sorted.size(),
                           " nodes in a cycle, among them: ", StrJoin(stuck, ", "));
  }

  // A node whose outputs nobody reads is only waited for; without an effect of its own it need not
  // run (TensorFlow's dependency optimizer does the same). So the gradient of a fed tensor is not
  // computed just because a training step waits for all gradients of an op.
  void FindComputed() {
    for (Endpoint e : request_.fetches) computed_.insert(e.node);
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
      if (!computed_.contains(*id) && !HasEffect(*id)) continue;
      computed_.insert(*id);
      for (Endpoint e : graph_.inputs(*id)) {
        if (!IsFed(e)) computed_.insert(e.node);
      }
    }
  }

  bool HasEffect(NodeId id) const {
    const NodeRecord& node = graph_.nodes[id];
    if (node.num_inputs == 0 || !node.op->registered() || node.op->schema().is_stateful)
      return true;
    return std::ranges::any_of(node.op->schema().inputs, &ArgSchema::is_ref);
  }

  // A loop's back edge makes a cycle too: then it is the loop's ops that cannot run.
  static Status CheckHasKernels(const NodeRecord& node) {
    if (!node.op->kernels().empty() || node.op->name() == "NoOp") return OkStatus();
    return node.op->FindKernel("CPU", *node.attrs, node.name).status();
  }

  Status AddNode(NodeId id) {
    const NodeRecord& node = graph_.nodes[id];
    if (node.op->name() == "NoOp" || !computed_.contains(id)) return OkStatus();
    const int device = device_of_[id];
    const int32_t first_output = plan_->num_slots;
    for (int i = 0; i < node.num_outputs; ++i) {
      if (!slot_of_.contains({id, i})) slot_of_[{id, i}] = first_output + i;
    }
    plan_->num_slots += node.num_outputs;
    if (node.op->name() == "Const" && !HasOwnMemory(device)) return Preset(node, first_output);
    Step step;
    step.node = id;
    step.device = device;
    step.first_output = first_output;
    step.num_outputs = node.num_outputs;
    RAMET_RETURN_IF_ERROR(Classify(node, &step));
    std::vector<int32_t> slots;
    auto inputs = graph_.inputs(id);
    for (int i = 0; i < node.num_inputs; ++i) slots.push_back(SlotFor(inputs[i], i, step));
    SetInputs(&step, slots);
    RAMET_ASSIGN_OR_RETURN(auto kernel, source_.KernelFor(graph_, id, device));
    step.kernel = kernel.get();
    plan_->kernels.push_back(std::move(kernel));
    plan_->steps.push_back(step);
    return OkStatus();
  }

  void SetInputs(Step* step, const std::vector<int32_t>& slots) {
    step->first_input = static_cast<int32_t>(plan_->input_slots.size());
    step->num_inputs = static_cast<int32_t>(slots.size());
    plan_->input_slots.insert(plan_->input_slots.end(), slots.begin(), slots.end());
    plan_->most_inputs = std::max(plan_->most_inputs, step->num_inputs);
  }

  Status Preset(const NodeRecord& node, int32_t slot) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, node.attrs->Get<Tensor>("value"));
    plan_->presets.emplace_back(slot, std::move(value));
    return OkStatus();
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
    int position = 0;
    for (const ArgSchema& arg : args) {
      int64_t length = arg.number_attr.empty() ? 1 : attrs.GetOr<int64_t>(arg.number_attr, 1);
      if (!arg.type_list_attr.empty()) {
        auto list = attrs.Get<std::vector<DType>>(arg.type_list_attr);
        length = list.ok() ? static_cast<int64_t>(list->size()) : 0;
      }
      for (int64_t i = 0; i < length; ++i, ++position) {
        if (op.HostInput(arg.name) || arg.type == kString) bits |= Bit(position);
      }
    }
    return bits;
  }

  // The device whose memory holds an output; 0 stands for host memory.
  int MemoryOf(Endpoint e) const {
    if (IsFed(e)) return 0;
    const int device = device_of_.at(e.node);
    if (!HasOwnMemory(device)) return 0;
    const NodeRecord& node = graph_.nodes[e.node];
    uint64_t host = HostBits(*node.op, node.op->schema().outputs, *node.attrs);
    return host & Bit(e.index) ? 0 : device;
  }

  int32_t SlotFor(Endpoint e, int input, const Step& step) {
    const int32_t slot = slot_of_.at(e);
    if (!plan_->several_memories || (step.ref_inputs & Bit(input))) return slot;
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
    SetInputs(&step, {from});
    plan_->steps.push_back(step);
    return it->second;
  }

  void Fetch() {
    for (Endpoint e : request_.fetches) {
      plan_->fetch_slots.push_back(e.index == Endpoint::kControl ? -1
                                                                 : InMemory(e, slot_of_.at(e), 0));
    }
  }

  // A slot is free after the last step that reads it (or at once, when nobody does), unless it is
  // fetched, fed, or a constant.
  void PlanReleases() {
    std::vector<int32_t> last(plan_->num_slots, -1);
    std::vector<bool> kept(plan_->num_slots, false);
    for (int32_t s : plan_->fetch_slots) {
      if (s >= 0) kept[s] = true;
    }
    for (auto& [slot, value] : plan_->presets) kept[slot] = true;
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      const Step& step = plan_->steps[i];
      for (int k = 0; k < step.num_outputs; ++k) last[step.first_output + k] = static_cast<int>(i);
      for (int k = 0; k < step.num_inputs; ++k) last[Slot(step, k)] = static_cast<int>(i);
    }
    std::vector<std::vector<int32_t>> freed(plan_->steps.size());
    for (int32_t s = 0; s < plan_->num_slots; ++s) {
      if (last[s] >= 0 && !kept[s]) freed[last[s]].push_back(s);
    }
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      Step& step = plan_->steps[i];
      step.first_release = static_cast<int32_t>(plan_->release_slots.size());
      step.num_releases = static_cast<int32_t>(freed[i].size());
      plan_->release_slots.insert(plan_->release_slots.end(), freed[i].begin(), freed[i].end());
      for (int k = 0; k < step.num_inputs; ++k) {
        int32_t slot = Slot(step, k);
        if (std::ranges::count(freed[i], slot) > 0 && CountInput(step, slot) == 1) {
          step.forwardable |= Bit(k);
        }
      }
    }
  }

  int32_t Slot(const Step& step, int input) const {
    return plan_->input_slots[step.first_input + input];
  }

  int CountInput(const Step& step, int32_t slot) const {
    int count = 0;
    for (int k = 0; k < step.num_inputs; ++k) count += Slot(step, k) == slot;
    return count;
  }

  void FindInitializers() {
    for (size_t v = 0; v < graph_.variables.size(); ++v) {
      const Operation& initializer = graph_.variables[v].initializer;
      if (initializer.valid() && needed_.contains(initializer.id())) {
        plan_->initializes.push_back(static_cast<VariableId>(v));
      }
    }
  }

  const GraphImpl& graph_;
  const PlanRequest& request_;
  KernelSource& source_;
  std::unique_ptr<Plan> plan_;
  std::unordered_map<Endpoint, int32_t, EndpointHash> slot_of_;
  std::unordered_set<NodeId> needed_;
  std::unordered_set<NodeId> computed_;
  std::vector<NodeId> order_;
  std::vector<int> placement_;
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
  frame->inputs.resize(most_inputs);
  frame->variables.resize(most_inputs);
  frame->resolved.resize(most_inputs);
  for (auto& [slot, value] : presets) frame->values[slot].tensor = value;
  return frame;
}

void Plan::ReturnFrame(std::unique_ptr<Frame> frame) {
  std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
}

StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphImpl& graph, const PlanRequest& request,
                                            KernelSource& source) {
  return Compiler(graph, request, source).Run();
}

}  // namespace ramet
