#pragma once

#include <cstdint>

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/linalg/reduce.h"
#include "ramet/tensor/tensor.h"

namespace ramet::gpu {

// The properties of a device on which the launches of reductions depend. A plain value.
struct ReduceDevice {
  static ReduceDevice Of(const DriverDeviceInfo& info) {
    return {info.compute_units, info.max_group_size};
  }
  // Returns the number of items in the largest group: a power of two, at most 512.
  int64_t MaxGroup() const;

  int64_t compute_units;
  int64_t max_group_size;
};

// A ReduceLaunch says how a pass of kReduceProgram is distributed over work groups. A group of
// `group` items computes group / lanes elements of the result; `lanes` items share one. Each chunk
// of the reduced elements has groups of its own. A plain value.
struct ReduceLaunch {
  ReduceLaunch(const ReduceDevice& device, const linalg::ReducePlan& plan);

  int64_t lanes, group;   // powers of two
  int64_t chunk, chunks;  // elements in a chunk; the number of chunks
};

// Reports whether neighbors in memory belong to the same element of the result.
inline bool NeighborsAreReduced(const linalg::ReducePlan& plan) {
  return plan.ndims() > 0 && plan.is_reduced(plan.ndims() - 1);
}

// Reduces a tensor as Reduce (families.h) does on a device with the properties `like`, so that
// tests reach each launch.
Status ReduceLike(const ReduceDevice& like, GpuDevice& device, linalg::ReduceOp op,
                  const linalg::ReducePlan& plan, const Tensor& x, Tensor& y, int64_t divisor);

}  // namespace ramet::gpu
