#include "ramet/runtime/passes/plan_editor.h"

#include <algorithm>

#include "ramet/runtime/passes/pure_ops.h"
#include "ramet/runtime/plan_merges.h"
#include "ramet/runtime/plan_releases.h"

namespace ramet {

PlanEditor::PlanEditor(const GraphData& graph, const Plan& plan)
    : graph_(graph), data_(plan), variables_(graph, data_) {
  Index();
}

const Tensor* PlanEditor::ConstantIn(int32_t slot) const {
  return constant_[slot] < 0 ? nullptr : &data_.slots.presets[constant_[slot]].second;
}

void PlanEditor::Replace(int32_t slot, int32_t with) {
  replaced_by_[slot] = Resolve(with);
  changed_ = true;
}

void PlanEditor::SetInput(int32_t i, int k, int32_t slot) {
  data_.inputs_of(data_.steps[i])[k].slot = slot;
  changed_ = true;
}

int32_t PlanEditor::AddConstant(Tensor value) {
  const int32_t slot = data_.slots.count++;
  data_.slots.in_host_memory.resize(data_.slots.count);
  variables_.Resize(data_.slots.count);
  replaced_by_.push_back(slot);
  writer_.push_back(-1);
  was_read_.push_back(true);
  constant_.push_back(static_cast<int32_t>(data_.slots.presets.size()));
  data_.slots.presets.emplace_back(slot, std::move(value));
  return slot;
}

void PlanEditor::FinishPass() {
  ApplyReplacements();
  DropUnread();
  DropUnreadConstants();
  Index();
}

std::unique_ptr<Plan> PlanEditor::Finish() {
  if (!changed_) return nullptr;
  if (data_.traits.has_releases) PlanReleases(&data_);
  if (data_.traits.has_control_flow) PlanMerges(&data_);
  return std::make_unique<Plan>(std::move(data_));
}

// The slots that loops name stay as they are: a loop empties them after each iteration.
void PlanEditor::ApplyReplacements() {
  for (StepInput& input : data_.inputs) input.slot = Resolve(input.slot);
  for (int32_t& slot : data_.slots.fetches) {
    if (slot >= 0) slot = Resolve(slot);
  }
}

std::vector<int32_t> PlanEditor::CountReaders() const {
  std::vector<int32_t> readers(data_.slots.count, 0);
  for (const Step& step : data_.steps) {
    for (const StepInput& input : data_.inputs_of(step)) ++readers[input.slot];
  }
  for (int32_t slot : data_.slots.fetches) {
    if (slot >= 0) ++readers[slot];
  }
  for (const PlanLoop& loop : data_.loops) {
    for (const auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
      for (int32_t slot : *slots) ++readers[slot];
    }
    for (const auto& [inside, outside] : loop.results) ++readers[inside];
  }
  return readers;
}

// A step that nothing has read from the start is a target of the run, which may fail.
bool PlanEditor::IsDroppable(const Step& step) const {
  if (!step.Is<KernelStep>() || !IsPure(*NodeOf(step).op)) return false;
  for (int k = 0; k < step.outputs.size; ++k) {
    if (was_read_[step.outputs.first + k]) return true;
  }
  return false;
}

// Readers come after the step that they read, so one pass from the last step finds all steps that
// are no longer read. A step that tells others whether they are dead stays, without its work.
void PlanEditor::DropUnread() {
  std::vector<int32_t> readers = CountReaders();
  std::vector<bool> waited_for(data_.steps.size(), false);
  std::vector<bool> dropped(data_.steps.size(), false);
  for (const Step& step : data_.steps) {
    for (int i = 0; i < step.control_inputs.size; ++i) {
      waited_for[data_.control_inputs[step.control_inputs.first + i]] = true;
    }
  }
  for (size_t i = data_.steps.size(); i-- > 0;) {
    Step& step = data_.steps[i];
    const auto first = readers.begin() + step.outputs.first;
    const bool is_read = std::any_of(first, first + step.outputs.size, [](int n) { return n > 0; });
    if (is_read || !IsDroppable(step)) continue;
    changed_ = true;
    if (waited_for[i]) {
      step.work = NoOpStep();
      continue;
    }
    dropped[i] = true;
    for (const StepInput& input : data_.inputs_of(step)) --readers[input.slot];
  }
  Compact(dropped);
}

void PlanEditor::Compact(const std::vector<bool>& dropped) {
  if (std::ranges::none_of(dropped, [](bool d) { return d; })) return;
  std::vector<Step> steps;
  std::vector<StepInput> inputs;
  std::vector<int32_t> kept_before = {0};
  for (size_t i = 0; i < data_.steps.size(); ++i) {
    if (!dropped[i]) {
      Step& step = steps.emplace_back(data_.steps[i]);
      const auto from = data_.inputs_of(step);
      step.inputs.first = static_cast<int32_t>(inputs.size());
      inputs.insert(inputs.end(), from.begin(), from.end());
    }
    kept_before.push_back(static_cast<int32_t>(steps.size()));
  }
  data_.steps = std::move(steps);
  data_.inputs = std::move(inputs);
  MoveIndexes(kept_before);
}

void PlanEditor::MoveIndexes(const std::vector<int32_t>& kept_before) {
  for (int32_t& step : data_.control_inputs) step = kept_before[step];
  for (PlanLoop& loop : data_.loops) {
    const int32_t end = kept_before[loop.steps.first + loop.steps.size];
    loop.steps.first = kept_before[loop.steps.first];
    loop.steps.size = end - loop.steps.first;
  }
}

void PlanEditor::DropUnreadConstants() {
  const std::vector<int32_t> readers = CountReaders();
  std::erase_if(data_.slots.presets,
                [&](const auto& preset) { return readers[preset.first] == 0; });
}

void PlanEditor::Index() {
  replaced_by_.resize(data_.slots.count);
  for (int32_t s = 0; s < data_.slots.count; ++s) replaced_by_[s] = s;
  constant_.assign(data_.slots.count, -1);
  for (size_t i = 0; i < data_.slots.presets.size(); ++i) {
    constant_[data_.slots.presets[i].first] = static_cast<int32_t>(i);
  }
  writer_.assign(data_.slots.count, -1);
  for (size_t i = 0; i < data_.steps.size(); ++i) {
    const IndexRange outputs = data_.steps[i].outputs;
    std::fill_n(writer_.begin() + outputs.first, outputs.size, static_cast<int32_t>(i));
  }
  loop_of_.assign(data_.steps.size(), -1);
  for (size_t l = 0; l < data_.loops.size(); ++l) {
    const IndexRange steps = data_.loops[l].steps;
    std::fill_n(loop_of_.begin() + steps.first, steps.size, static_cast<int32_t>(l));
  }
  const std::vector<int32_t> readers = CountReaders();
  was_read_.assign(data_.slots.count, false);
  for (int32_t s = 0; s < data_.slots.count; ++s) was_read_[s] = readers[s] > 0;
}

}  // namespace ramet
