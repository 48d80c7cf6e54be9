#include "ramet/runtime/plan_builder.h"

#include <algorithm>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/host_memory.h"

namespace ramet {

int32_t PlanBuilder::NewSlots(int32_t count) {
  const int32_t first = plan_.slots.count;
  plan_.slots.count += count;
  plan_.slots.in_host_memory.resize(plan_.slots.count);
  return first;
}

IndexRange PlanBuilder::AddOutputs(NodeId id) {
  const int32_t count = graph_.nodes[id].num_outputs;
  const int32_t first = NewSlots(count);
  for (int32_t i = 0; i < count; ++i) slot_of_.try_emplace({id, i}, first + i);
  return {first, count};
}

int32_t PlanBuilder::SlotInMemory(Endpoint e, int memory) {
  int32_t slot = SlotOf(e);
  const int found = devices_.MemoryOf(e);
  if (found == memory) return slot;
  if (memory == 0 && IsAliveConstant(e)) return ConstantSlot(e);
  if (found != 0) slot = AddCopy(e, slot, CopyToHostStep(), found, 0);
  return memory == 0 ? slot : AddCopy(e, slot, CopyToDeviceStep(), memory, memory);
}

bool PlanBuilder::IsAliveConstant(Endpoint e) const {
  return graph_.nodes[e.node].op->name() == "Const" && !order_.may_be_dead.contains(e.node);
}

int32_t PlanBuilder::ConstantSlot(Endpoint e) {
  auto [it, added] = copies_.try_emplace({e.node, e.index, 0}, plan_.slots.count);
  const Tensor* value = graph_.nodes[e.node].attrs->Find("value")->get<Tensor>();
  if (added) plan_.slots.presets.emplace_back(NewSlots(), *value);
  return it->second;
}

int32_t PlanBuilder::AddCopy(Endpoint e, int32_t from, StepWork work, int device, int memory) {
  auto [it, added] = copies_.try_emplace({e.node, e.index, memory}, plan_.slots.count);
  if (!added) return it->second;
  Step step;
  step.work = work;
  step.node = e.node;
  step.device = device;
  step.outputs = {NewSlots(), 1};
  step.may_be_dead = order_.may_be_dead.contains(e.node);
  SetInputs(&step, {{.slot = from}});
  plan_.steps.push_back(step);
  return it->second;
}

Status PlanBuilder::SetInputs(NodeId id, Step* step) {
  RAMET_ASSIGN_OR_RETURN(std::vector<StepInput> inputs, InputsOf(id, step->device));
  const auto endpoints = graph_.inputs(id);
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].slot = SlotFor(endpoints[i], inputs[i], *step);
  }
  SetInputs(step, inputs);
  NoteHostOutputs(*step);
  return OkStatus();
}

void PlanBuilder::SetInputs(Step* step, const std::vector<StepInput>& inputs) {
  step->inputs = {static_cast<int32_t>(plan_.inputs.size()), static_cast<int32_t>(inputs.size())};
  plan_.inputs.insert(plan_.inputs.end(), inputs.begin(), inputs.end());
  plan_.traits.max_inputs = std::max(plan_.traits.max_inputs, step->inputs.size);
}

// Returns the inputs of a node on a device, without slots.
StatusOr<std::vector<StepInput>> PlanBuilder::InputsOf(NodeId id, int device) const {
  const NodeRecord& node = graph_.nodes[id];
  const OpSchema& schema = node.op->schema();
  RAMET_ASSIGN_OR_RETURN(auto types, schema.Expand(schema.inputs, *node.attrs));
  std::vector<StepInput> inputs(graph_.inputs(id).size());
  std::vector<bool> host;
  if (devices_.HasOwnMemory(device)) host = InHostMemory(*node.op, schema.inputs, *node.attrs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i < types.size()) inputs[i].is_ref = IsRef(types[i]) || types[i] == DType::kResource;
    inputs[i].in_host_memory = i < host.size() && host[i];
  }
  return inputs;
}

// Returns the slot that a step reads `e` from.
int32_t PlanBuilder::SlotFor(Endpoint e, const StepInput& input, const Step& step) {
  if (!devices_.has_several_memories() || input.is_ref) return SlotOf(e);
  if (graph_.output(e).dtype == DType::kResource) return SlotOf(e);
  const bool on_host = !devices_.HasOwnMemory(step.device) || input.in_host_memory;
  return SlotInMemory(e, on_host ? 0 : step.device);
}

void PlanBuilder::NoteHostOutputs(const Step& step) {
  if (!devices_.HasOwnMemory(step.device)) return;
  const NodeRecord& node = graph_.nodes[step.node];
  const std::vector<bool> host = InHostMemory(*node.op, node.op->schema().outputs, *node.attrs);
  for (size_t i = 0; i < host.size() && static_cast<int>(i) < step.outputs.size; ++i) {
    plan_.slots.in_host_memory[step.outputs.first + i] = host[i];
  }
}

void PlanBuilder::SetControlInputs(NodeId id, Step* step) {
  if (ControlFlowOf(*graph_.nodes[id].op) == ControlFlow::kMerge) return;
  step->control_inputs.first = static_cast<int32_t>(plan_.control_inputs.size());
  for (Endpoint e : graph_.controls(id)) {
    if (!order_.may_be_dead.contains(e.node)) continue;
    plan_.control_inputs.push_back(step_of_.at(e.node));
    ++step->control_inputs.size;
  }
}

void PlanBuilder::AddStep(const Step& step) {
  if (order_.has_control_flow) step_of_[step.node] = static_cast<int32_t>(plan_.steps.size());
  plan_.steps.push_back(step);
}

}  // namespace ramet
