#include "ramet/runtime/plan_releases.h"

#include <algorithm>

#include "ramet/runtime/plan_slots.h"

namespace ramet {
namespace {

class Releases {
 public:
  explicit Releases(PlanData* plan)
      : plan_(*plan),
        last_(plan->slots.count, -1),
        readers_(plan->slots.count),
        kept_(plan->slots.count, false) {}

  void Run() {
    FindKept();
    FindLast();
    std::vector<std::vector<int32_t>> freed(plan_.steps.size());
    for (int32_t s = 0; s < plan_.slots.count; ++s) {
      if (last_[s] >= 0 && !kept_[s]) freed[last_[s]].push_back(s);
    }
    plan_.release_slots.clear();
    for (size_t begin = 0; begin < plan_.steps.size(); begin += plan_.steps[begin].group_size) {
      const size_t end = begin + plan_.steps[begin].group_size;
      Step& step = plan_.steps[end - 1];
      step.releases = {static_cast<int32_t>(plan_.release_slots.size()),
                       static_cast<int32_t>(freed[end - 1].size())};
      plan_.release_slots.insert(plan_.release_slots.end(), freed[end - 1].begin(),
                                 freed[end - 1].end());
      FindLastUses(begin, end);
    }
    for (const Step& step : plan_.steps) {
      if (const auto* fused = std::get_if<FusedStep>(&step.work)) {
        SetParts(step, plan_.fusions[fused->fusion]);
      }
    }
  }

 private:
  void FindKept() {
    for (auto& [slot, value] : plan_.slots.presets) kept_[slot] = true;
    plan_.slots.holds_constant.clear();
    if (plan_.traits.has_control_flow) return FindOtherReads();
    for (const Step& step : plan_.steps) {
      if (!step.is_constant) continue;
      plan_.slots.holds_constant.resize(plan_.slots.count);
      kept_[step.outputs.first] = plan_.slots.holds_constant[step.outputs.first] = true;
    }
    FindOtherReads();
  }

  void FindOtherReads() {
    VisitOtherReads(plan_, [this](int32_t slot) { kept_[slot] = true; });
  }

  void FindLast() {
    for (size_t begin = 0; begin < plan_.steps.size(); begin += plan_.steps[begin].group_size) {
      const size_t end = begin + plan_.steps[begin].group_size;
      for (size_t i = begin; i < end; ++i) {
        const Step& step = plan_.steps[i];
        const auto at = static_cast<int32_t>(end - 1);
        for (int k = 0; k < step.outputs.size; ++k) last_[step.outputs.first + k] = at;
        for (const StepInput& input : plan_.inputs_of(step)) last_[input.slot] = at;
      }
    }
  }

  // Marks the inputs of a group of steps that no later step and no other input of the group reads.
  void FindLastUses(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      for (const StepInput& input : plan_.inputs_of(plan_.steps[i])) ++readers_[input.slot];
    }
    for (size_t i = begin; i < end; ++i) {
      for (StepInput& input : plan_.inputs_of(plan_.steps[i])) {
        const bool ends_here = last_[input.slot] == static_cast<int32_t>(end - 1);
        input.is_last_use = ends_here && !kept_[input.slot] && readers_[input.slot] == 1;
      }
    }
    for (size_t i = begin; i < end; ++i) {
      for (const StepInput& input : plan_.inputs_of(plan_.steps[i])) readers_[input.slot] = 0;
    }
  }

  // The parts of a fused step end the values that the step is the last to use, and the values
  // between them. If several parts read a value, or one part reads it twice, it must stay until the
  // last of them has read it.
  void SetParts(const Step& fused, const Fusion& fusion) {
    std::vector<int32_t> ends = fusion.between;
    for (const StepInput& input : plan_.inputs_of(fused)) {
      if (input.is_last_use) ends.push_back(input.slot);
    }
    for (size_t i = fusion.parts.size(); i-- > 0;) {
      const std::span<StepInput> inputs = plan_.inputs_of(fusion.parts[i]);
      for (StepInput& input : inputs) {
        const bool is_read_once = std::ranges::count(inputs, input.slot, &StepInput::slot) == 1;
        input.is_last_use = is_read_once && std::ranges::find(ends, input.slot) != ends.end();
      }
      for (const StepInput& input : inputs) std::erase(ends, input.slot);
    }
  }

  PlanData& plan_;
  std::vector<int32_t> last_;     // the last step that reads or writes a slot
  std::vector<int32_t> readers_;  // within a group, by slot; all 0 between groups
  std::vector<bool> kept_;
};

}  // namespace

void PlanReleases(PlanData* plan) { Releases(plan).Run(); }

}  // namespace ramet
