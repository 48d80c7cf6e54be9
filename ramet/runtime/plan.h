#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph/graph_data.h"
#include "ramet/runtime/run_buffers.h"
#include "ramet/runtime/step.h"

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

// A loop of TensorFlow 1's control flow: its steps run once per iteration, over the same slots.
struct PlanLoop {
  IndexRange steps;
  std::vector<int32_t> enters;                       // slots alive in the first iteration only
  std::vector<int32_t> constants;                    // slots alive in all iterations
  std::vector<int32_t> next;                         // slots that the next iteration begins with
  std::vector<std::pair<int32_t, int32_t>> results;  // (slot inside, slot that keeps it outside)
};

// Records what a plan was compiled from and the part of the graph that it covers.
struct PlanOrigin {
  PlanRequest request;
  int64_t edit_version = 0;             // of the graph
  std::vector<NodeId> nodes;            // all nodes that the fetches need, with or without a step
  std::vector<int32_t> node_devices;    // the device of each of `nodes`
  std::vector<VariableId> initializes;  // variables whose initializer runs
};

// The slots of a plan hold the values of a run. They are numbered from 0.
struct PlanSlots {
  int32_t count = 0;
  std::vector<int32_t> feeds;                       // the slot of each feed
  std::vector<int32_t> fetches;                     // of each fetch; -1 for a node that is only run
  std::vector<std::pair<int32_t, Tensor>> presets;  // constants, by slot
  std::vector<bool> in_host_memory;                 // by slot; in plans with several memories
  std::vector<bool> holds_constant;                 // by slot: that of a step; empty if none does

  bool HoldsConstant(int32_t slot) const { return !holds_constant.empty() && holds_constant[slot]; }
};

// Describes the steps of a plan as a whole, for the executor.
struct PlanTraits {
  bool has_control_flow = false;
  bool has_several_memories = false;  // some nodes are on devices with memory of their own
  bool has_releases = false;          // slots are released as the steps run
  bool has_groups = false;            // some steps may run at the same time
  bool may_write = false;             // some step may write a variable
  int32_t max_inputs = 0;             // of a step
};

// Holds the kernels and functions that the steps of a plan call.
struct PlanCallees {
  std::vector<std::shared_ptr<Kernel>> kernels;  // keeps those of KernelStep and Fusion alive
  std::vector<std::shared_ptr<FunctionCall>> functions;  // of CallStep
};

// The order of the steps of a plan in which several may wait; empty for other plans.
struct StepPrecedence {
  std::vector<int32_t> num_before;          // by step: how many steps it has to wait for
  std::vector<std::vector<int32_t>> after;  // by step: the steps that wait for it
  // By slot: how many inputs of steps read it before it is free; 0 if it is never freed, or right
  // after the step that writes it.
  std::vector<int32_t> num_readers;
};

// The contents of a plan: steps in order over slots of values. `inputs`, `release_slots` and
// `control_inputs` are the arrays that the steps' ranges refer to.
struct PlanData {
  PlanOrigin origin;
  PlanTraits traits;
  PlanSlots slots;
  std::vector<Step> steps;
  std::vector<StepInput> inputs;
  std::vector<int32_t> release_slots;
  std::vector<int32_t> control_inputs;
  std::vector<PlanLoop> loops;
  std::vector<Fusion> fusions;
  PlanCallees callees;

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

  StepPrecedence precedence;  // set before the first run

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<RunBuffers>> pool_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
