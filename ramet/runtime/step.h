#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "ramet/graph/graph_data.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/fused_kernel.h"
#include "ramet/op/kernel.h"
#include "ramet/op/weights_kernel.h"
#include "ramet/runtime/fused_elementwise.h"

namespace ramet {

// Consecutive entries of an array of a plan (PlanData).
struct IndexRange {
  int32_t first = 0;
  int32_t size = 0;
};

// One input of a step.
struct StepInput {
  int32_t slot = 0;
  bool is_last_use = false;  // no step reads the value after this one
  bool is_ref = false;       // the kernel takes the variable that the value names, not its tensor
  bool in_host_memory = false;  // on every device
};

// The kinds of work that a step can do, one struct each.
struct KernelStep {
  Kernel* kernel = nullptr;
};
struct FusedStep {
  int32_t fusion = 0;  // in PlanData::fusions
};
struct CallStep {
  int32_t function = 0;  // in PlanCallees::functions
};
struct CopyToDeviceStep {};
struct CopyToHostStep {};
struct MoveStep {};    // passes input 0 to output 0
struct SwitchStep {};  // passes input 0 to output 0 or 1, depending on input 1
struct MergeStep {     // passes the input that is alive to output 0, its position to output 1
  bool index_used = false;
};
struct LoopStep {    // runs the steps of a loop, which come after it
  int32_t loop = 0;  // in PlanData::loops
};
struct NoOpStep {};  // other steps wait for it
using StepWork = std::variant<KernelStep, FusedStep, CallStep, CopyToDeviceStep, CopyToHostStep,
                              MoveStep, SwitchStep, MergeStep, LoopStep, NoOpStep>;

// One step of a plan. Its ranges refer to arrays of PlanData, except for the outputs, which are
// slots.
struct Step {
  StepWork work;
  NodeId node = -1;
  int32_t device = 0;
  IndexRange inputs;
  IndexRange outputs;
  IndexRange releases;        // slots that are free after this step
  IndexRange control_inputs;  // steps; this one is dead if one of them is
  int32_t group_size = 1;     // the number of steps from here on that may run at the same time
  bool may_be_dead = false;
  bool is_constant = false;  // its output is the same in each run, and stays in its slot

  template <class Work>
  bool Is() const {
    return std::holds_alternative<Work>(work);
  }
};

// Several steps that run as one: a kernel with an epilogue, element-wise steps in one pass, or a
// kernel of a device for several steps.
struct Fusion {
  EpilogueKernel* kernel = nullptr;            // null: the others
  WeightsKernel* weights_kernel = nullptr;     // instead of `kernel`, if it is set
  std::shared_ptr<FusedKernel> device_kernel;  // null: `elementwise`
  Epilogue epilogue = Epilogue::kAdd;
  std::vector<ChannelStep> channel_steps;  // not empty: what `kernel` does instead of `epilogue`
  FusedElementwise elementwise;
  std::vector<Step> parts;       // run one by one when Compute returns false
  std::vector<int32_t> between;  // slots of the values between the parts

  // Returns false, with no side effects, if the parts are to be run instead.
  bool Compute(KernelContext& context) const {
    if (!channel_steps.empty()) {
      return weights_kernel != nullptr
                 ? weights_kernel->ComputeStepsWithWeights(channel_steps, context)
                 : kernel->ComputeWithSteps(channel_steps, context);
    }
    if (weights_kernel != nullptr) return weights_kernel->ComputeWithWeights(epilogue, context);
    if (kernel != nullptr) return kernel->ComputeWith(epilogue, context);
    return device_kernel != nullptr ? device_kernel->Compute(context)
                                    : elementwise.Compute(context);
  }
};

}  // namespace ramet
