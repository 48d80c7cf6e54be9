#include "ramet/runtime/passes/drop_unread_steps.h"

#include <algorithm>
#include <span>

#include "ramet/runtime/passes/pure_ops.h"
#include "ramet/runtime/plan_slots.h"

namespace ramet {

std::vector<int32_t> CountReaders(const PlanData& plan) {
  std::vector<int32_t> readers(plan.slots.count, 0);
  for (const Step& step : plan.steps) {
    for (const StepInput& input : plan.inputs_of(step)) ++readers[input.slot];
  }
  VisitOtherReads(plan, [&](int32_t slot) { ++readers[slot]; });
  return readers;
}

namespace {

class UnreadStepDropper {
 public:
  UnreadStepDropper(const GraphData& graph, const std::vector<int32_t>& before, PlanData* plan)
      : graph_(graph),
        before_(before),
        plan_(*plan),
        readers_(CountReaders(*plan)),
        dropped_(plan->steps.size(), false),
        waited_for_(plan->steps.size(), false) {}

  // Readers come after the step that they read, so one pass from the last step finds all steps
  // whose outputs nothing reads now.
  void Run() {
    FindWaitedFor();
    for (size_t i = plan_.steps.size(); i-- > 0;) {
      if (IsDroppable(plan_.steps[i])) Drop(i);
    }
    if (num_dropped_ > 0) Compact();
    std::erase_if(plan_.slots.presets,
                  [this](const auto& preset) { return readers_[preset.first] == 0; });
  }

 private:
  void FindWaitedFor() {
    for (const Step& step : plan_.steps) {
      for (int i = 0; i < step.control_inputs.size; ++i) {
        waited_for_[plan_.control_inputs[step.control_inputs.first + i]] = true;
      }
    }
  }

  bool IsDroppable(const Step& step) const {
    if (!step.Is<KernelStep>() || !IsPure(*graph_.nodes[step.node].op)) return false;
    bool was_read = false;
    for (int k = 0; k < step.outputs.size; ++k) {
      if (readers_[step.outputs.first + k] > 0) return false;
      was_read = was_read || before_[step.outputs.first + k] > 0;
    }
    return was_read;
  }

  // A step that tells others whether they are dead stays, without its work.
  void Drop(size_t i) {
    if (waited_for_[i]) {
      plan_.steps[i].work = NoOpStep();
      return;
    }
    dropped_[i] = true;
    ++num_dropped_;
    for (const StepInput& input : plan_.inputs_of(plan_.steps[i])) --readers_[input.slot];
  }

  void Compact() {
    std::vector<Step> steps;
    std::vector<StepInput> inputs;
    std::vector<int32_t> kept_before = {0};
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (!dropped_[i]) {
        Step& step = steps.emplace_back(plan_.steps[i]);
        const std::span<const StepInput> from = plan_.inputs_of(step);
        step.inputs.first = static_cast<int32_t>(inputs.size());
        inputs.insert(inputs.end(), from.begin(), from.end());
      }
      kept_before.push_back(static_cast<int32_t>(steps.size()));
    }
    plan_.steps = std::move(steps);
    plan_.inputs = std::move(inputs);
    MoveIndexes(kept_before);
  }

  // Renumbers the steps that plans refer to. `kept_before` says how many steps are left of those
  // before each old one.
  void MoveIndexes(const std::vector<int32_t>& kept_before) {
    for (int32_t& step : plan_.control_inputs) step = kept_before[step];
    for (PlanLoop& loop : plan_.loops) {
      const int32_t end = kept_before[loop.steps.first + loop.steps.size];
      loop.steps.first = kept_before[loop.steps.first];
      loop.steps.size = end - loop.steps.first;
    }
  }

  const GraphData& graph_;
  const std::vector<int32_t>& before_;
  PlanData& plan_;
  std::vector<int32_t> readers_;
  std::vector<bool> dropped_;
  std::vector<bool> waited_for_;
  int64_t num_dropped_ = 0;
};

}  // namespace

void DropUnreadSteps(const GraphData& graph, const std::vector<int32_t>& before, PlanData* plan) {
  UnreadStepDropper(graph, before, plan).Run();
}

}  // namespace ramet
