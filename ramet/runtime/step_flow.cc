#include "ramet/runtime/step_flow.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "ramet/runtime/plan_slots.h"

namespace ramet {
namespace {

// Stateful ops that leave all state as it is.
constexpr std::array<std::string_view, 5> kWithoutEffects = {
    "VariableV2", "Variable", "VarHandleOp", "ReadVariableOp", "Placeholder"};

}  // namespace

StepFlow::StepFlow(const GraphData& graph, const PlanData& plan)
    : graph_(graph), plan_(plan), loop_of_(LoopsOfSteps(plan)) {
  FindReaders();
  ListReaders();
  KeepReadByOthers();
  FindEffects();
}

void StepFlow::FindReaders() {
  num_readers_.assign(plan_.slots.count, 0);
  writer_.assign(plan_.slots.count, -1);
  for (size_t i = 0; i < plan_.steps.size(); ++i) {
    const Step& step = plan_.steps[i];
    const auto number = static_cast<int32_t>(i);
    for (int k = 0; k < step.outputs.size; ++k) writer_[step.outputs.first + k] = number;
    for (const StepInput& input : plan_.inputs_of(step)) ++num_readers_[input.slot];
  }
}

void StepFlow::ListReaders() {
  first_reader_.assign(plan_.slots.count + 1, 0);
  std::partial_sum(num_readers_.begin(), num_readers_.end(), first_reader_.begin() + 1);
  readers_.resize(first_reader_.back());
  std::vector<int32_t> next(first_reader_.begin(), first_reader_.end() - 1);
  for (size_t i = 0; i < plan_.steps.size(); ++i) {
    for (const StepInput& input : plan_.inputs_of(plan_.steps[i])) {
      readers_[next[input.slot]++] = static_cast<int32_t>(i);
    }
  }
}

// Counts what reads slots but is not a step: fetches and loops.
void StepFlow::KeepReadByOthers() {
  VisitOtherReads(plan_, [this](int32_t slot) { num_readers_[slot] += 2; });
}

void StepFlow::FindEffects() {
  effects_ = {0};
  for (const Step& step : plan_.steps) effects_.push_back(effects_.back() + HasEffects(step));
}

bool StepFlow::HasEffects(const Step& step) const {
  if (step.Is<LoopStep>() || step.Is<CallStep>()) return true;
  if (!step.Is<KernelStep>()) return false;
  const Op& op = *graph_.nodes[step.node].op;
  if (std::ranges::find(kWithoutEffects, op.name()) != kWithoutEffects.end()) return false;
  return plan_.HasRefInputs(step) || op.schema().is_stateful;
}

int32_t StepFlow::OnlyReaderOf(int32_t i) const {
  return plan_.steps[i].outputs.size == 1 ? OnlyReaderOfFirst(i) : -1;
}

int32_t StepFlow::OnlyReaderOfFirst(int32_t i) const {
  const Step& step = plan_.steps[i];
  for (int k = 0; k < step.outputs.size; ++k) {
    if (num_readers_[step.outputs.first + k] != (k == 0 ? 1 : 0)) return -1;
  }
  if (step.outputs.size == 0) return -1;
  const int32_t next = ReadersOf(step.outputs.first)[0];
  return MayRunIn(i, next) ? next : -1;
}

bool StepFlow::MayRunIn(int32_t i, int32_t at) const {
  const Step& step = plan_.steps[i];
  const Step& later = plan_.steps[at];
  if (at < i || !later.Is<KernelStep>() || later.device != step.device) return false;
  if (loop_of_[at] != loop_of_[i] || later.may_be_dead != step.may_be_dead) return false;
  return step.control_inputs.size == 0 && effects_[at] == effects_[i + 1];
}

}  // namespace ramet
