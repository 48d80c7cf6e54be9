#pragma once

#include <cstdint>
#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// The VariableSlots of a plan are those that may name a variable, or hold a handle, instead of a
// tensor. A step that reads one gets the value that the variable has at that time, so the order of
// such a step and of assignments matters.
class VariableSlots {
 public:
  VariableSlots(const GraphData& graph, const PlanData& plan);
  bool HoldsTensor(int32_t slot) const { return !names_variable_[slot]; }
  // Adds slots that hold tensors.
  void Resize(int32_t count) { names_variable_.resize(count, false); }

 private:
  void MarkFeeds();
  // Marks the outputs of a step. Reports whether this marked a slot.
  bool MarkOutputs(const Step& step);
  bool MayName(const Step& step, int output, bool any_input) const;
  bool Mark(int32_t slot);
  bool MarkResults();
  void MarkControlFlow();

  const GraphData& graph_;
  const PlanData& plan_;
  std::vector<bool> names_variable_;  // by slot
};

}  // namespace ramet
