#include "ramet/runtime/passes/variable_slots.h"

#include <algorithm>

#include "ramet/runtime/passes/pure_ops.h"

namespace ramet {
namespace {

// Back edges of loops make several rounds necessary: one per level of loops that a variable is
// passed through. Beyond this number, all outputs of control flow count as variables.
constexpr int kMaxRounds = 4;

bool IsHandleType(DType dtype) {
  return IsRef(dtype) || dtype == DType::kResource || dtype == DType::kVariant;
}

}  // namespace

VariableSlots::VariableSlots(const GraphData& graph, const PlanData& plan)
    : graph_(graph), plan_(plan), names_variable_(plan.slots.count, false) {
  MarkFeeds();
  bool marked = true;
  for (int round = 0; marked && round < kMaxRounds; ++round) {
    marked = false;
    for (const Step& step : plan_.steps) marked |= MarkOutputs(step);
    if (!plan_.traits.has_control_flow) return;
    marked |= MarkResults();
  }
  if (marked) MarkControlFlow();
}

void VariableSlots::MarkFeeds() {
  for (size_t i = 0; i < plan_.slots.feeds.size(); ++i) {
    if (IsHandleType(graph_.output(plan_.origin.request.feeds[i]).dtype)) {
      names_variable_[plan_.slots.feeds[i]] = true;
    }
  }
}

bool VariableSlots::MarkOutputs(const Step& step) {
  const bool any_input = std::ranges::any_of(
      plan_.inputs_of(step), [this](const StepInput& in) { return names_variable_[in.slot]; });
  bool marked = false;
  for (int k = 0; k < step.outputs.size; ++k) {
    if (MayName(step, k, any_input)) marked |= Mark(step.outputs.first + k);
  }
  return marked;
}

bool VariableSlots::MayName(const Step& step, int output, bool any_input) const {
  const NodeRecord& node = graph_.nodes[step.node];
  if (output >= node.num_outputs || IsHandleType(graph_.output({step.node, output}).dtype)) {
    return true;
  }
  if (!any_input || step.Is<CallStep>()) return false;
  return !step.Is<KernelStep>() || ForwardsVariables(*node.op) || !IsPure(*node.op);
}

bool VariableSlots::Mark(int32_t slot) {
  if (names_variable_[slot]) return false;
  names_variable_[slot] = true;
  return true;
}

bool VariableSlots::MarkResults() {
  bool marked = false;
  for (const PlanLoop& loop : plan_.loops) {
    for (const auto& [inside, outside] : loop.results) {
      if (names_variable_[inside]) marked |= Mark(outside);
    }
  }
  return marked;
}

void VariableSlots::MarkControlFlow() {
  for (const Step& step : plan_.steps) {
    if (step.Is<KernelStep>() && !ForwardsVariables(*graph_.nodes[step.node].op)) continue;
    for (int k = 0; k < step.outputs.size; ++k) Mark(step.outputs.first + k);
  }
  MarkResults();
  for (const PlanLoop& loop : plan_.loops) {
    for (const auto& [inside, outside] : loop.results) Mark(outside);
  }
}

}  // namespace ramet
