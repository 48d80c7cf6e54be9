#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/runtime/step_flow.h"

namespace ramet {

// A FusionBuilder builds a copy of a plan in which some steps are fused. Steps are numbered as in
// the plan. The caller holds the graph's lock during its use.
class FusionBuilder {
 public:
  // The arguments must outlive this object.
  FusionBuilder(const GraphData& graph, const Plan& plan, std::span<const KernelEnv> envs)
      : graph_(graph), plan_(plan), envs_(envs), flow_(graph, plan), data_(plan) {
    for (const auto& [slot, tensor] : plan.slots.presets) constants_[slot] = &tensor;
  }

  const GraphData& graph() const { return graph_; }
  int32_t num_steps() const { return static_cast<int32_t>(plan_.steps.size()); }
  // Returns a step as it is in the plan.
  const Step& step(int32_t i) const { return plan_.steps[i]; }
  std::span<const StepInput> inputs_of(const Step& step) const { return plan_.inputs_of(step); }
  int32_t InputSlot(const Step& step, int i) const { return plan_.inputs_of(step)[i].slot; }
  std::string_view OpOf(const Step& step) const { return graph_.nodes[step.node].op->name(); }
  // Return what is known about a shape before a run.
  const Shape& InputShape(const Step& step, int i) const {
    return graph_.output(graph_.inputs(step.node)[i]).shape;
  }
  const Shape& OutputShape(const Step& step) const { return graph_.output({step.node, 0}).shape; }
  // Returns the environment of the device of a step.
  const KernelEnv& EnvOf(const Step& step) const { return envs_[step.device]; }
  const AttrMap& AttrsOf(const Step& step) const { return *graph_.nodes[step.node].attrs; }
  const Plan& plan() const { return plan_; }
  const StepFlow& flow() const { return flow_; }
  // Reports whether a step runs a kernel and has not been fused. False for -1.
  bool CanFuse(int32_t i) const {
    return i >= 0 && step(i).Is<KernelStep>() && data_.steps[i].Is<KernelStep>();
  }

  std::span<const Fusion> fusions() const { return data_.fusions; }
  // Does the work of all parts of `fusion` in step `last`, with these inputs. `parts` are the
  // numbers of the parts, sorted, the last one being `last`. `kept` are the parts before `last`
  // whose outputs are outputs of the fused step too, sorted; they come before that of `last`. Fills
  // in the steps of the parts and the slots between them.
  void Fuse(Fusion fusion, const std::vector<int32_t>& parts, const std::vector<StepInput>& inputs,
            const std::vector<int32_t>& kept = {});
  // Makes a fused kernel keep its weights in a form of its own. If `split` is not -1, the kernel
  // also does the work of that step, which reads its output.
  void ExtendFusion(size_t fusion, WeightsKernel* kernel, int32_t split);
  // Returns the constant in a slot, or null.
  const Tensor* ConstantIn(int32_t slot) const;
  // Returns the plan, or null if no steps have been fused.
  std::unique_ptr<Plan> Finish();

 private:
  // Gives the outputs of these parts and of the fused step `last` new slots next to each other.
  void MoveOutputs(const std::vector<int32_t>& kept, int32_t last);
  void RenumberSlots();

  const GraphData& graph_;
  const Plan& plan_;
  const std::span<const KernelEnv> envs_;  // one per device
  const StepFlow flow_;
  PlanData data_;
  std::vector<int32_t> new_slot_;  // by slot of the plan; empty if all slots stay
  std::unordered_map<int32_t, const Tensor*> constants_;  // by slot
};

}  // namespace ramet
