#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/device/device.h"
#include "ramet/graph/graph_data.h"
#include "ramet/op/epilogue.h"
#include "ramet/op/kernel.h"
#include "ramet/runtime/fused_elementwise.h"
#include "ramet/runtime/run_buffers.h"

namespace ramet {

class FunctionCall;

// The resolved feeds and fetches of a run: the key of a compiled run.
struct PlanRequest {
  std::vector<Endpoint> feeds;
  std::vector<Endpoint> fetches;  // index kControl: run the node, fetch nothing
  std::vector<NodeId> done;       // nodes that have run already: no step waits for them
  std::vector<int> feed_devices;  // the devices of the variables that feeds name; may be empty
  bool operator==(const PlanRequest&) const = default;
};

// Consecutive entries of one of a plan's arrays.
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
  int32_t fusion = 0;  // in Plan::fusions
};
struct CallStep {
  int32_t call = 0;  // in Plan::calls
};
struct CopyToDeviceStep {};
struct CopyToHostStep {};
struct MoveStep {};    // passes input 0 to output 0
struct SwitchStep {};  // passes input 0 to output 0 or 1, depending on input 1
struct MergeStep {     // passes the input that is alive to output 0, its position to output 1
  bool index_used = false;
};
struct LoopStep {    // runs the steps of a loop, which come after it
  int32_t loop = 0;  // in Plan::loops
};
struct NoOpStep {};  // other steps wait for it
using StepWork = std::variant<KernelStep, FusedStep, CallStep, CopyToDeviceStep, CopyToHostStep,
                              MoveStep, SwitchStep, MergeStep, LoopStep, NoOpStep>;

// One step of a plan.
struct Step {
  StepWork work;
  NodeId node = -1;
  int32_t device = 0;
  IndexRange inputs;          // in Plan::inputs
  IndexRange outputs;         // slots
  IndexRange releases;        // in Plan::release_slots: slots that are free after this step
  IndexRange control_inputs;  // in Plan::control_inputs: steps; this one is dead if one of them is
  int32_t group_size = 1;     // the number of steps from here on that may run at the same time
  bool may_be_dead = false;

  template <class Work>
  bool Is() const {
    return std::holds_alternative<Work>(work);
  }
};

// A loop of TensorFlow 1's control flow: its steps run once per iteration, over the same slots.
struct PlanLoop {
  IndexRange steps;
  std::vector<int32_t> enters;                       // slots alive in the first iteration only
  std::vector<int32_t> constants;                    // slots alive in all iterations
  std::vector<int32_t> next;                         // slots that the next iteration begins with
  std::vector<std::pair<int32_t, int32_t>> results;  // (slot inside, slot that keeps it outside)
};

// Several steps that run as one: a kernel with an epilogue, or element-wise steps in one pass.
struct Fusion {
  EpilogueKernel* kernel = nullptr;  // null: `elementwise`
  Epilogue epilogue = Epilogue::kAdd;
  FusedElementwise elementwise;
  std::vector<Step> parts;       // run one by one when Compute returns false
  std::vector<int32_t> between;  // slots of the values between the parts

  // Returns false, with no side effects, if the parts are to be run instead.
  bool Compute(KernelContext& context) const {
    return kernel != nullptr ? kernel->ComputeWith(epilogue, context)
                             : elementwise.Compute(context);
  }
};

// The contents of a plan: steps in order over slots of values.
struct PlanData {
  PlanRequest request;
  std::vector<Step> steps;
  std::vector<NodeId> nodes;          // all nodes that the fetches need, with or without a step
  std::vector<int32_t> node_devices;  // where each of `nodes` is placed
  std::vector<StepInput> inputs;
  std::vector<int32_t> release_slots;
  std::vector<int32_t> control_inputs;
  std::vector<int32_t> feed_slots;
  std::vector<int32_t> fetch_slots;                 // -1 for a node that is only run
  std::vector<std::pair<int32_t, Tensor>> presets;  // constants, by slot
  std::vector<VariableId> initializes;              // variables whose initializer runs
  std::vector<bool> host_slots;  // by slot: a step leaves it in host memory; with several memories
  int32_t num_slots = 0;
  int32_t max_inputs = 0;  // of a step
  std::vector<PlanLoop> loops;
  std::vector<Fusion> fusions;
  std::vector<std::shared_ptr<Kernel>> kernels;  // keeps alive what the steps use
  std::vector<std::shared_ptr<FunctionCall>> calls;
  int64_t edit_version = 0;  // of the graph
  bool has_control_flow = false;
  bool has_several_memories = false;  // some nodes are on devices with memory of their own
  bool has_groups = false;            // some steps may run at the same time
  bool may_write = false;             // some step may write a variable

  std::span<const StepInput> inputs_of(const Step& step) const {
    return {inputs.data() + step.inputs.first, static_cast<size_t>(step.inputs.size)};
  }
  std::span<StepInput> inputs_of(const Step& step) {
    return {inputs.data() + step.inputs.first, static_cast<size_t>(step.inputs.size)};
  }
  bool HasRefInputs(const Step& step) const;
};

// A Plan is a compiled sequence of steps and a pool of the buffers that runs of it work on. The
// data are immutable once built. Thread-safe: any number of threads may run a plan at once.
class Plan : public PlanData {
 public:
  Plan() = default;
  explicit Plan(PlanData data) : PlanData(std::move(data)) {}

  std::unique_ptr<RunBuffers> TakeBuffers();
  void ReturnBuffers(std::unique_ptr<RunBuffers> buffers) noexcept;

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<RunBuffers>> pool_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
