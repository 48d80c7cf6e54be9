#include "ramet/runtime/passes/plan_editor.h"

#include <algorithm>

#include "ramet/runtime/passes/drop_unread_steps.h"
#include "ramet/runtime/plan_merges.h"
#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/plan_slots.h"

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
  pending_ = true;
}

void PlanEditor::SetInput(int32_t i, int k, int32_t slot) {
  data_.inputs_of(data_.steps[i])[k].slot = slot;
  pending_ = true;
}

int32_t PlanEditor::AddConstant(Tensor value) {
  const int32_t slot = data_.slots.count++;
  data_.slots.in_host_memory.resize(data_.slots.count);
  variables_.Resize(data_.slots.count);
  replaced_by_.push_back(slot);
  writer_.push_back(-1);
  readers_.push_back(0);
  constant_.push_back(static_cast<int32_t>(data_.slots.presets.size()));
  data_.slots.presets.emplace_back(slot, std::move(value));
  return slot;
}

void PlanEditor::FinishPass() {
  if (!pending_) return;
  ApplyReplacements();
  DropUnreadSteps(graph_, readers_, &data_);
  Index();
  pending_ = false;
  changed_ = true;
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
  loop_of_ = LoopsOfSteps(data_);
  readers_ = CountReaders(data_);
}

}  // namespace ramet
