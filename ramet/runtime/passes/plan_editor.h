#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ramet/runtime/passes/variable_slots.h"
#include "ramet/runtime/plan.h"

namespace ramet {

// A PlanEditor builds a copy of a plan in which passes simplify steps. A pass goes through the
// steps in order, which is the order of the run, and tells the editor what readers shall read
// instead; FinishPass then applies this and drops the steps whose outputs nothing reads any more.
// The plan has no fused steps. Constants can be added if all of its values are in host memory. The
// caller holds the graph's lock during its use.
class PlanEditor {
 public:
  // The arguments must outlive this object.
  PlanEditor(const GraphData& graph, const Plan& plan);

  const GraphData& graph() const { return graph_; }
  const PlanData& data() const { return data_; }
  int32_t num_steps() const { return static_cast<int32_t>(data_.steps.size()); }
  const Step& step(int32_t i) const { return data_.steps[i]; }
  const NodeRecord& NodeOf(const Step& step) const { return graph_.nodes[step.node]; }
  std::string_view OpOf(const Step& step) const { return NodeOf(step).op->name(); }
  // Returns the slot that input `k` of a step reads.
  int32_t InputSlot(const Step& step, int k) const {
    return Resolve(data_.inputs_of(step)[k].slot);
  }
  // Returns the constant in a slot, or null.
  const Tensor* ConstantIn(int32_t slot) const;
  // Returns the step that writes a slot, or -1.
  int32_t WriterOf(int32_t slot) const { return writer_[slot]; }
  // Returns how many steps, fetches and loops read a slot at the start of the pass.
  int32_t NumReaders(int32_t slot) const { return readers_[slot]; }
  // Returns the innermost loop of a step, or -1.
  int32_t LoopOf(int32_t i) const { return loop_of_[i]; }
  // Reports whether a slot holds a tensor, which stays what it is until the slot is written again.
  // False if the slot may name a variable, whose value may change.
  bool HoldsTensor(int32_t slot) const { return variables_.HoldsTensor(slot); }

  // Makes steps and fetches read slot `with` instead of `slot`. Both must hold tensors.
  void Replace(int32_t slot, int32_t with);
  // Makes input `k` of step `i` read a different slot.
  void SetInput(int32_t i, int k, int32_t slot);
  // Returns a slot that holds a constant.
  int32_t AddConstant(Tensor value);
  // Ends a pass: applies what it has replaced.
  void FinishPass();
  // Returns the plan, or null if no pass has changed it.
  std::unique_ptr<Plan> Finish();

 private:
  int32_t Resolve(int32_t slot) const {
    while (replaced_by_[slot] != slot) slot = replaced_by_[slot];
    return slot;
  }
  void ApplyReplacements();
  void Index();

  const GraphData& graph_;
  PlanData data_;
  VariableSlots variables_;
  bool pending_ = false;              // the pass has replaced something
  bool changed_ = false;              // a pass before this one has
  std::vector<int32_t> replaced_by_;  // by slot; itself if it is not replaced
  std::vector<int32_t> constant_;     // by slot: its position in the presets, or -1
  std::vector<int32_t> writer_;       // by slot
  std::vector<int32_t> loop_of_;      // by step
  std::vector<int32_t> readers_;      // by slot: how many there were at the start of the pass
};

}  // namespace ramet
