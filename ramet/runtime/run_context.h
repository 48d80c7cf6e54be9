#pragma once

#include <span>
#include <string>

#include "ramet/op/kernel.h"
#include "ramet/runtime/passes/pass_selection.h"
#include "ramet/runtime/step_recorder.h"

namespace ramet {

struct GraphData;
class Device;

// Says how a session runs its steps. The settings of a function's runs differ from those of the
// session's in `graph` and `function` only.
struct ExecutorSettings {
  std::span<Device* const> devices;
  std::span<const KernelEnv> envs;  // one per device
  int intra_op_threads = 1;
  int inter_op_threads = 1;  // how many steps may run at the same time
  bool deterministic = false;
  PassSelection passes;
  const GraphData* graph = nullptr;       // for the names in messages
  const std::string* function = nullptr;  // whose body the graph is; null: it is not a body
};

// Applies the settings for kernels to the calling thread.
void PrepareThread(const ExecutorSettings& settings);

// The context of one run: all that it needs beyond its plan. The references and pointers outlive
// the run.
struct RunContext {
  const ExecutorSettings& settings;
  RunState& state;
  StepRecorder* recorder = nullptr;  // null: the run is not traced
  int depth = 0;                     // the number of function calls that this run is inside of
  std::string callers = {};          // their nodes, "f/g/"; only with a recorder
};

}  // namespace ramet
