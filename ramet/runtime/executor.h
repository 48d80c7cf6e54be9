#pragma once

#include <span>

#include "ramet/runtime/plan.h"

namespace ramet {

// How a session runs its steps.
struct ExecutorSettings {
  std::span<Device* const> devices;
  std::span<const KernelEnv> envs;  // one per device
  int intra_op_threads = 1;
  bool deterministic = false;
  const GraphImpl* graph = nullptr;  // for the names in messages
};

// Runs a plan once. `feeds` are as many tensors as the plan has feeds, of the right dtypes;
// `fetched` gets one tensor per fetch (empty for nodes that are only run). When a step fails, the
// steps after it do not run, and variables keep what was assigned before. \error what the first
// failing kernel says, with the node's name.
Status RunPlan(Plan& plan, const ExecutorSettings& settings, std::span<const Tensor> feeds,
               std::span<Tensor> fetched);

}  // namespace ramet
