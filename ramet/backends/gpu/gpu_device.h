#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/copy_queue.h"
#include "ramet/backends/gpu/device_libraries.h"
#include "ramet/backends/gpu/device_queue.h"
#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/kernel_cache.h"
#include "ramet/backends/gpu/memory/caching_allocator.h"
#include "ramet/backends/gpu/memory/gpu_memory.h"
#include "ramet/backends/gpu/runs_ahead.h"
#include "ramet/device/background_copier.h"
#include "ramet/device/device.h"
#include "ramet/op/tensor_math.h"

namespace ramet::gpu {

// A GpuDevice is /device:GPU:n. Its kernels and copies run on one queue in the order in which host
// threads enqueue them. A kernel's Compute runs on the thread of the run and returns when its work
// is enqueued; a run may end before its work is done. Background copies run on a second queue.
// Thread-safe.
class GpuDevice final : public Device, public BackgroundCopier, public WorkCounter {
 public:
  // \error kResourceExhausted, kInternal: the driver could not make its queues.
  // \error kInvalidArgument: RAMET_GPU_GRAPHS has an unknown value.
  static StatusOr<std::unique_ptr<GpuDevice>> Make(int index, DriverDevice& device,
                                                   double memory_fraction);
  // Returns the device with that memory, which must be a GPU's.
  static GpuDevice& Of(const DeviceMemory& memory);

  Allocator* allocator() override { return &allocator_; }
  const DeviceMemory* memory() const override { return &memory_; }
  Status Synchronize() override { return Checked(queue_.Finish()); }
  Status EndRun() override;
  StatusOr<Tensor> CopyFromHost(const Tensor& host) override;
  StatusOr<Tensor> CopyToHost(const Tensor& device) override;
  StatusOr<std::unique_ptr<DeviceMark>> Mark() override { return copies_.Mark(); }
  Status CopyOut(DeviceMark& mark, std::span<const Copy> copies) override {
    return copies_.CopyOut(mark, copies);
  }
  StatusOr<std::vector<Tensor>> CopyIn(std::span<const Tensor> host) override;

  DriverDevice& driver() { return driver_; }
  DeviceQueue& queue() { return queue_; }
  DeviceLibraries& libraries() { return libraries_; }
  DeviceWork work() const override { return queue_.work() + copies_.work(); }
  // Returns the status of a call of the queue. An error after which the queue does not work any
  // more says that the device is lost, and what to do.
  Status Checked(const Status& status);
  CachingAllocator::Usage memory_usage() const { return allocator_.usage(); }
  // Returns a kernel, which lives as long as the device.
  // \error as KernelCache::Function.
  StatusOr<DriverFunction*> Function(const Program& program, const Definitions& definitions,
                                     std::string_view name, bool has_large_indices) {
    return kernels_.Function(program, definitions, name, has_large_indices);
  }

 private:
  GpuDevice(int index, DriverDevice& device, std::unique_ptr<DriverQueue> queue, bool uses_graphs,
            std::unique_ptr<DriverQueue> copies, uint64_t limit);
  StatusOr<Tensor> AllocateFor(const Tensor& host);
  // Allocates the target of a copy, for a small one a block that no recent work uses.
  StatusOr<Tensor> AllocateForCopy(const Tensor& host);

  DriverDevice& driver_;
  DeviceQueue queue_;
  RunsAhead runs_{queue_};
  CopyQueue copies_;
  DeviceLibraries libraries_;
  const std::unique_ptr<DeviceMath> math_;
  GpuMemory memory_;
  CachingAllocator allocator_;
  KernelCache kernels_;
};

}  // namespace ramet::gpu
