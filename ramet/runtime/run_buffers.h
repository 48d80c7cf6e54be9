#pragma once

#include <cstdint>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// The memory that invoking one step needs.
struct StepScratch {
  explicit StepScratch(int32_t num_inputs = 0) : inputs(num_inputs), resolved(num_inputs) {}
  std::vector<KernelInput> inputs;
  std::vector<Tensor> resolved;  // values of variables, and views of device memory
};

// The memory that one run of a plan works on. It is kept for the next run, so that a steady run
// allocates nothing.
struct RunBuffers {
  std::vector<Value> values;        // by slot
  StepScratch scratch;              // of the step that the caller's thread runs
  std::vector<uint8_t> dead;        // by slot; for plans with control flow
  std::vector<uint8_t> dead_steps;  // by step; for plans with control flow
  std::vector<StepScratch> lanes;   // of the steps that run at the same time
};

}  // namespace ramet
