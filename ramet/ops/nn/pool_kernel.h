#pragma once

#include <memory>

#include "ramet/op/op.h"
#include "ramet/ops/nn/window.h"

namespace ramet {

// The computations of the pooling kernels.
enum class PoolPart { kMax, kMaxGrad, kMaxGradGrad, kArgmax, kArgmaxGrad, kAvg, kAvgGrad };

// Returns the kernel of a pooling op with two or three spatial dimensions.
// \error kInvalidArgument: the window is invalid.
// \error kUnimplemented: the window is not supported.
StatusOr<std::unique_ptr<Kernel>> MakePoolKernel(PoolPart part, int spatial,
                                                 const KernelNode& node);

// Adapter for OpBuilder::CpuKernelClasses.
template <PoolPart kPart, int kSpatial = 2>
struct PoolKernelOf {
  template <class T>
  struct Type {
    static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
      return MakePoolKernel(kPart, kSpatial, node);
    }
  };
};

// Reports whether the window covers adjacent channels.
bool PoolsChannels(const WindowAttrs& window);

}  // namespace ramet
