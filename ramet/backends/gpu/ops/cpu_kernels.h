#pragma once

#include <memory>

#include "ramet/op/kernel.h"

namespace ramet::gpu {

// Makes the CPU kernel of a node, for ops whose CPU kernels also serve on a GPU.
// \error as Op::FindKernel and KernelRegistration::Make.
StatusOr<std::unique_ptr<Kernel>> MakeCpuKernel(const KernelNode& node);

}  // namespace ramet::gpu
