#include "ramet/runtime/fusion_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ramet/runtime/plan_releases.h"
#include "ramet/runtime/plan_slots.h"

namespace ramet {
namespace {

// A Merge of control flow still takes over its inputs: its position in the plan is the same.
void KeepLastUsesOfMerges(const Plan& plan, PlanData* fused) {
  for (const Step& step : fused->steps) {
    if (!step.Is<MergeStep>()) continue;
    for (int i = 0; i < step.inputs.size; ++i) {
      const int32_t at = step.inputs.first + i;
      fused->inputs[at].is_last_use |= plan.inputs[at].is_last_use;
    }
  }
}

}  // namespace

void FusionBuilder::Fuse(Fusion fusion, const std::vector<int32_t>& parts,
                         const std::vector<StepInput>& inputs, const std::vector<int32_t>& kept) {
  const int32_t last = parts.back();
  if (!kept.empty()) MoveOutputs(kept, last);
  for (int32_t part : parts) {
    fusion.parts.push_back(data_.steps[part]);
    if (part == last) break;
    if (!std::ranges::binary_search(kept, part)) {
      const IndexRange outputs = step(part).outputs;
      for (int k = 0; k < outputs.size; ++k) fusion.between.push_back(outputs.first + k);
    }
    data_.steps[part].work = NoOpStep();
  }
  Step& fused = data_.steps[last];
  fused.work = FusedStep{static_cast<int32_t>(data_.fusions.size())};
  fused.inputs = {static_cast<int32_t>(data_.inputs.size()), static_cast<int32_t>(inputs.size())};
  if (!kept.empty()) {
    fused.outputs.first -= static_cast<int32_t>(kept.size());
    fused.outputs.size += static_cast<int32_t>(kept.size());
  }
  data_.inputs.insert(data_.inputs.end(), inputs.begin(), inputs.end());
  data_.traits.max_inputs = std::max(data_.traits.max_inputs, fused.inputs.size);
  data_.fusions.push_back(std::move(fusion));
}

void FusionBuilder::ExtendFusion(size_t fusion, WeightsKernel* kernel, int32_t split) {
  Fusion& extended = data_.fusions[fusion];
  extended.weights_kernel = kernel;
  if (split < 0) return;
  const int32_t slot = extended.parts.back().outputs.first;
  Step& fused = data_.steps[flow_.WriterOf(slot)];
  extended.between.push_back(slot);
  extended.parts.push_back(data_.steps[split]);
  data_.steps[split].work = std::exchange(fused.work, NoOpStep());
  // The axis is an input of the fused step too, which is dead if the axis is.
  std::vector<StepInput> inputs(data_.inputs_of(fused).begin(), data_.inputs_of(fused).end());
  inputs.push_back({.slot = InputSlot(step(split), 0)});
  data_.steps[split].inputs = {static_cast<int32_t>(data_.inputs.size()),
                               static_cast<int32_t>(inputs.size())};
  data_.inputs.insert(data_.inputs.end(), inputs.begin(), inputs.end());
  data_.traits.max_inputs = std::max(data_.traits.max_inputs, data_.steps[split].inputs.size);
}

void FusionBuilder::MoveOutputs(const std::vector<int32_t>& kept, int32_t last) {
  if (new_slot_.empty()) {
    new_slot_.resize(plan_.slots.count);
    std::iota(new_slot_.begin(), new_slot_.end(), 0);
  }
  const auto move = [this](int32_t i) {
    new_slot_[data_.steps[i].outputs.first] = data_.slots.count;
    data_.steps[i].outputs.first = data_.slots.count++;
  };
  for (int32_t i : kept) move(i);
  move(last);
  data_.slots.in_host_memory.resize(data_.slots.count);
}

const Tensor* FusionBuilder::ConstantIn(int32_t slot) const {
  const auto found = constants_.find(slot);
  return found != constants_.end() ? found->second : nullptr;
}

void FusionBuilder::RenumberSlots() {
  const auto renumber = [this](int32_t& slot) {
    if (slot >= 0) slot = new_slot_[slot];
  };
  for (StepInput& input : data_.inputs) renumber(input.slot);
  VisitOtherReads(data_, renumber);
  for (PlanLoop& loop : data_.loops) {
    for (auto& [inside, outside] : loop.results) renumber(outside);
  }
}

std::unique_ptr<Plan> FusionBuilder::Finish() {
  if (data_.fusions.empty()) return nullptr;
  if (!new_slot_.empty()) RenumberSlots();
  if (!plan_.traits.has_control_flow) {
    std::erase_if(data_.steps, [](const Step& step) { return step.Is<NoOpStep>(); });
  }
  PlanReleases(&data_);
  if (plan_.traits.has_control_flow) KeepLastUsesOfMerges(plan_, &data_);
  return std::make_unique<Plan>(std::move(data_));
}

}  // namespace ramet
