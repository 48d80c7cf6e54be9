#include "ramet/runtime/death_sets.h"

#include <algorithm>

namespace ramet {

DeathSets::DeathSets(const PlanData& plan)
    : plan_(plan), of_step_(plan.steps.size()), of_slot_(plan.slots.count) {
  Number({});
  loop_of_.assign(plan.slots.count, -1);
  std::vector<int32_t> open;
  const auto end_of = [&](int32_t loop) {
    return plan.loops[loop].steps.first + plan.loops[loop].steps.size;
  };
  for (int32_t i = 0; i < static_cast<int32_t>(plan.steps.size()); ++i) {
    for (; !open.empty() && i == end_of(open.back()); open.pop_back()) EndLoop(open.back());
    if (const auto* work = std::get_if<LoopStep>(&plan.steps[i].work)) {
      BeginLoop(work->loop);
      open.push_back(work->loop);
    } else {
      AddStep(i);
    }
  }
  for (; !open.empty(); open.pop_back()) EndLoop(open.back());
}

int32_t DeathSets::Number(Set set) {
  if (set.size() > kMaxSources) set = {Source({-1, -1})};
  const auto [found, added] = number_of_.try_emplace(set, static_cast<int32_t>(sets_.size()));
  if (added) sets_.push_back(std::move(set));
  return found->second;
}

int32_t DeathSets::Source(std::pair<int32_t, int32_t> key) {
  if (key.first < 0) return num_sources_++;
  const auto [found, added] = source_of_.try_emplace(key, num_sources_);
  if (added) ++num_sources_;
  return found->second;
}

int32_t DeathSets::With(int32_t set, int32_t source) {
  Set all = sets_[set];
  const auto at = std::ranges::lower_bound(all, source);
  if (at != all.end() && *at == source) return set;
  all.insert(at, source);
  return Number(std::move(all));
}

int32_t DeathSets::UnionOfInputs(const Step& step) {
  Set all;
  const auto add = [&](int32_t set) {
    all.insert(all.end(), sets_[set].begin(), sets_[set].end());
  };
  for (const StepInput& input : plan_.inputs_of(step)) add(of_slot_[input.slot]);
  for (int i = 0; i < step.control_inputs.size; ++i) {
    add(of_step_[plan_.control_inputs[step.control_inputs.first + i]]);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return Number(std::move(all));
}

// The values that a loop carries are alive together if they enter it together: in the first
// iteration because their Enters are, and later because the same branch of the loop's condition
// leads to all of them (EndLoop checks that).
int32_t DeathSets::MergeOf(const Step& step) {
  for (const StepInput& input : plan_.inputs_of(step)) {
    const int32_t loop = loop_of_[input.slot];
    if (loop >= 0) return With(of_slot_[input.slot], Source({loop, -1}));
  }
  return Number({Source({-1, -1})});
}

void DeathSets::AddStep(int32_t i) {
  const Step& step = plan_.steps[i];
  if (!step.may_be_dead && !step.Is<SwitchStep>()) return;
  int32_t set = step.Is<MergeStep>() ? MergeOf(step) : UnionOfInputs(step);
  of_step_[i] = set;
  for (int k = 0; k < step.outputs.size; ++k) {
    int32_t& made = of_slot_[step.outputs.first + k];
    made = set;
    if (step.Is<SwitchStep>()) {
      made = With(set, Source({plan_.slots.count + plan_.inputs_of(step)[1].slot, k}));
    }
  }
}

void DeathSets::BeginLoop(int32_t loop) {
  for (int32_t slot : plan_.loops[loop].enters) loop_of_[slot] = loop;
}

void DeathSets::EndLoop(int32_t loop) {
  const PlanLoop& ended = plan_.loops[loop];
  const bool together = std::ranges::all_of(
      ended.next, [&](int32_t slot) { return of_slot_[slot] == of_slot_[ended.next.front()]; });
  for (int32_t i = 0; i < ended.steps.size && !together; ++i) {
    of_step_[ended.steps.first + i] = Number({Source({-1, -1})});
  }
  for (const auto& [inside, outside] : ended.results) {
    of_slot_[outside] = Number({Source({2 * plan_.slots.count + loop, of_slot_[inside]})});
  }
}

}  // namespace ramet
