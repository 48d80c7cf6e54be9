#include "ramet/runtime/fusion_builder.h"

#include <algorithm>

#include "ramet/runtime/plan_releases.h"

namespace ramet {

void FusionBuilder::Fuse(Fusion fusion, const std::vector<int32_t>& parts,
                         const std::vector<StepInput>& inputs) {
  for (int32_t part : parts) {
    fusion.parts.push_back(step(part));
    if (part == parts.back()) break;
    fusion.between.push_back(step(part).outputs.first);
    data_.steps[part].work = NoOpStep();
  }
  Step& fused = data_.steps[parts.back()];
  fused.work = FusedStep{static_cast<int32_t>(data_.fusions.size())};
  fused.inputs = {static_cast<int32_t>(data_.inputs.size()), static_cast<int32_t>(inputs.size())};
  data_.inputs.insert(data_.inputs.end(), inputs.begin(), inputs.end());
  data_.traits.max_inputs = std::max(data_.traits.max_inputs, fused.inputs.size);
  data_.fusions.push_back(std::move(fusion));
}

std::unique_ptr<Plan> FusionBuilder::Finish() {
  if (data_.fusions.empty()) return nullptr;
  if (!plan_.traits.has_control_flow) {
    std::erase_if(data_.steps, [](const Step& step) { return step.Is<NoOpStep>(); });
  }
  PlanReleases(&data_);
  if (plan_.traits.has_control_flow) KeepLastUsesOfMerges();
  return std::make_unique<Plan>(std::move(data_));
}

// A Merge of control flow still takes over its inputs: its position in the plan is the same.
void FusionBuilder::KeepLastUsesOfMerges() {
  for (const Step& step : data_.steps) {
    if (!step.Is<MergeStep>()) continue;
    for (int i = 0; i < step.inputs.size; ++i) {
      const int32_t at = step.inputs.first + i;
      data_.inputs[at].is_last_use |= plan_.inputs[at].is_last_use;
    }
  }
}

}  // namespace ramet
