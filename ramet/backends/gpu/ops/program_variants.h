#pragma once

#include <vector>

#include "ramet/backends/gpu/gpu_device.h"

namespace ramet::gpu {

// A program with definitions that the backend compiles it with.
struct ProgramVariant {
  const Program* program;
  Definitions definitions;
};

// Return the programs in the files of these names, for tests that compile them: all variants of
// those of single ops, and a sample of those that fuse ops or merge updates.
std::vector<ProgramVariant> AssignVariants();
std::vector<ProgramVariant> CastVariants();
std::vector<ProgramVariant> ElementwiseVariants();
std::vector<ProgramVariant> MatMulVariants();
// The ops of the optimizers must be registered.
std::vector<ProgramVariant> OptimizerVariants();
std::vector<ProgramVariant> ReduceTreeVariants();

}  // namespace ramet::gpu
