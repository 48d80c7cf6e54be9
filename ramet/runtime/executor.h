#pragma once

#include <span>
#include <string>

#include "ramet/base/cancellation.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/step_recorder.h"

namespace ramet {

// How a session runs its steps.
struct ExecutorSettings {
  std::span<Device* const> devices;
  std::span<const KernelEnv> envs;  // one per device
  int intra_op_threads = 1;
  int inter_op_threads = 1;  // how many steps run at the same time
  bool deterministic = false;
  const GraphImpl* graph = nullptr;       // for the names in messages
  const std::string* function = nullptr;  // whose body the graph is; null: of none
};

// What one run has beyond its plan. The pointers may be null and outlive the run.
struct RunControl {
  const Cancellation* cancellation = nullptr;
  StepRecorder* recorder = nullptr;
  const FollowedValues* followed = nullptr;
  int depth = 0;             // how many calls of functions it is in
  std::string callers = "";  // names of the calling nodes, "f/g/", if there is a recorder
};

// Runs a plan once. `feeds` are as many tensors as the plan has feeds, of the right dtypes;
// `fetched` gets one tensor per fetch (empty for nodes that are only run). When a step fails, the
// steps after it do not run, and variables keep what was assigned before; likewise when the run is
// cancelled. \error what the first failing kernel says, with the node's name; Cancellation::status.
Status RunPlan(Plan& plan, const ExecutorSettings& settings, std::span<const Tensor> feeds,
               std::span<Tensor> fetched, const RunControl& control = {});

}  // namespace ramet
