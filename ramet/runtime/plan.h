#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/graph/graph_impl.h"
#include "ramet/op/follow_up.h"
#include "ramet/op/kernel.h"
#include "ramet/runtime/one_pass.h"
#include "ramet/runtime/step_grouping.h"

namespace ramet {

class FunctionCall;

// What a run is asked for, resolved: the key of a plan.
struct PlanRequest {
  std::vector<Endpoint> feeds;
  std::vector<Endpoint> fetches;  // index kControl: run the node, fetch nothing
  std::vector<NodeId> done;       // nodes that have run: what waits for them need not
  std::vector<int> feed_devices;  // in whose memory the variables are that feeds name; may be empty
  bool operator==(const PlanRequest&) const = default;
};

// One thing to do: run a kernel, copy a value to or from a device, or what control flow asks for.
struct Step {
  enum class Kind : uint8_t {
    kKernel,
    kCopyToDevice,
    kCopyToHost,
    kSwitch,   // input 0 to output 0 or 1, as input 1 says
    kMerge,    // the input that is alive to output 0, its position to output 1
    kMove,     // input 0 to output 0
    kNothing,  // is only waited for
    kLoop,     // Plan::loops[loop], whose steps follow
    kCall,     // Plan::calls[call]
    kMerged    // Plan::merges[merge]
  };
  Kernel* kernel = nullptr;
  NodeId node = -1;
  int32_t first_input = 0;  // in Plan::input_slots
  int32_t num_inputs = 0;
  int32_t first_output = 0;  // a slot; a node's outputs follow one another
  int32_t num_outputs = 0;
  int32_t first_release = 0;  // in Plan::release_slots
  int32_t num_releases = 0;
  int32_t first_guard = 0;  // in Plan::guards: steps whose death is the death of this one
  int32_t num_guards = 0;
  int32_t loop = -1;
  int32_t call = -1;
  int32_t merge = -1;
  int32_t device = 0;
  uint64_t forwardable = 0;  // bit i: nobody reads input i after this step
  uint64_t ref_inputs = 0;   // bit i: input i names a variable and is not resolved
  uint64_t host_inputs = 0;  // bit i: input i is in host memory on every device
  uint64_t host_outputs = 0;
  Kind kind = Kind::kKernel;
  bool mortal = false;      // may be dead: its inputs and guards are to be looked at
  bool index_used = false;  // kMerge: somebody reads output 1
  int32_t together = 1;     // this many steps from here on may run at the same time
};

// A loop of TensorFlow 1's control flow: its steps are run once per iteration, over the same slots.
struct PlanLoop {
  int32_t first_step = 0;
  int32_t end_step = 0;                              // one after the last
  std::vector<int32_t> enters;                       // slots alive in the first iteration only
  std::vector<int32_t> constants;                    // slots alive in all iterations
  std::vector<int32_t> next;                         // slots of what goes on to the next iteration
  std::vector<std::pair<int32_t, int32_t>> results;  // (slot within, slot that keeps it outside)
};

// Steps that are done in one go: a kernel, and what follows it; or sums and products in one pass.
struct PlanMerge {
  FollowedKernel* kernel = nullptr;  // null: it is `pass`
  FollowUp next = FollowUp::kAdd;
  OnePass pass;
  std::vector<Step> parts;       // what is run otherwise
  std::vector<int32_t> between;  // slots of values between the parts

  // As FollowedKernel::ComputeAnd.
  bool Compute(KernelContext& context) const {
    return kernel != nullptr ? kernel->ComputeAnd(next, context) : pass.Compute(context);
  }
};

// What a step works with while it runs.
struct StepScratch {
  explicit StepScratch(int32_t num_inputs = 0)
      : inputs(num_inputs), variables(num_inputs), resolved(num_inputs) {}
  std::vector<const Tensor*> inputs;
  std::vector<VariableState*> variables;
  std::vector<Tensor> resolved;  // buffers of variables and views
};

// What one run of a plan works on; kept for the next run, so that a steady run allocates nothing.
struct Frame {
  std::vector<Value> values;        // by slot
  StepScratch scratch;              // of the step at work
  std::vector<uint8_t> dead;        // by slot; plans with control flow
  std::vector<uint8_t> dead_steps;  // by step
  std::vector<StepScratch> lanes;   // of steps at work at the same time
};

// A compiled run: steps in order over slots of values.
struct PlanData {
  PlanRequest request;
  std::vector<Step> steps;
  std::vector<NodeId> nodes;          // all that the fetches need, also those without a step
  std::vector<int32_t> node_devices;  // where each is placed
  std::vector<int32_t> input_slots;
  std::vector<int32_t> release_slots;
  std::vector<int32_t> feed_slots;
  std::vector<int32_t> fetch_slots;                 // -1 for a node that is only run
  std::vector<std::pair<int32_t, Tensor>> presets;  // constants
  std::vector<VariableId> initializes;              // variables whose initializer runs
  int32_t num_slots = 0;
  int32_t most_inputs = 0;
  std::vector<int32_t> guards;
  std::vector<PlanLoop> loops;
  std::vector<PlanMerge> merges;
  bool has_control_flow = false;
  bool several_memories = false;  // devices with memory of their own take part
  int64_t edit_version = 0;
  std::vector<std::shared_ptr<Kernel>> kernels;  // what the steps use, kept alive
  std::vector<std::shared_ptr<FunctionCall>> calls;
  bool has_groups = false;  // some steps may run at the same time
  bool may_write = false;   // some step may write a variable
};

// A compiled run and its pool of frames. The data are immutable once built; any number of threads
// may run a plan at once.
class Plan : public PlanData {
 public:
  Plan() = default;
  explicit Plan(PlanData data) : PlanData(std::move(data)) {}

  std::unique_ptr<Frame> TakeFrame();
  void ReturnFrame(std::unique_ptr<Frame> frame);
  // How long its steps take, and the plan that runs some of them at the same time.
  StepGrouping& grouping() { return grouping_; }
  // The same run with steps merged; null where there are none to merge.
  Plan* merged() const { return merged_.get(); }
  void set_merged(std::unique_ptr<Plan> merged) { merged_ = std::move(merged); }

 private:
  StepGrouping grouping_;
  std::unique_ptr<Plan> merged_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

// What compiling needs of the session.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual std::span<Device* const> devices() const = 0;
  virtual StatusOr<std::vector<int>> Place(const GraphImpl& graph,
                                           std::span<const NodeId> nodes) = 0;
  // The kernel of a node on a device: the same one as long as the node stays as it is.
  virtual StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphImpl& graph, NodeId node,
                                                      int device) = 0;
  // Likewise what it does as a call of functions; null if it calls none. `input_devices` says in
  // whose memory the variables are that its inputs name; empty where all are in the host's.
  virtual StatusOr<std::shared_ptr<FunctionCall>> CallFor(
      const GraphImpl& graph, NodeId node, const std::vector<int>& input_devices) = 0;
};

// Compiles: prunes to what the fetches need (cut at the feeds), places, orders, lays out the slots
// and says when each is free again. The graph's lock is held. \error as OrderNodes; what placing
// and making kernels say.
StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphImpl& graph, const PlanRequest& request,
                                            KernelSource& source);

}  // namespace ramet
