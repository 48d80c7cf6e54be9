#pragma once

#include <memory>

#include "ramet/op/op.h"
#include "ramet/ops/nn/window.h"

namespace ramet {

// What the kernels of pooling ops compute.
enum class PoolPart { kMax, kMaxGrad, kMaxGradGrad, kArgmax, kArgmaxGrad, kAvg, kAvgGrad };

// The kernel of a pooling op with two or three spatial dimensions.
// \error kInvalidArgument, kUnimplemented if there are no such windows.
StatusOr<std::unique_ptr<Kernel>> MakePoolKernel(PoolPart part, int spatial,
                                                 const KernelNode& node);

// For OpBuilder::CpuKernelClasses.
template <PoolPart kPart, int kSpatial = 2>
struct PoolKernelOf {
  template <class T>
  struct Type {
    static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
      return MakePoolKernel(kPart, kSpatial, node);
    }
  };
};

// Whether the window covers neighbouring channels.
bool PoolsChannels(const WindowAttrs& window);

}  // namespace ramet
