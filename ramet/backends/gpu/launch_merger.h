#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/tensor/tensor.h"

namespace ramet::gpu {

// A launch that is ready to be started.
struct ReadyLaunch {
  DriverFunction* function = nullptr;
  LaunchSize size;
  std::vector<KernelArgument> arguments;
};

// The tensors of a launch that a queue may hold back. `count` is the number of its elements.
struct HeldLaunch {
  std::vector<Tensor> read, written;
  int64_t count = 0;
};

// A MergingKernel makes one launch of several that are independent of each other. Objects live as
// long as the process. Thread-safe.
class MergingKernel {
 public:
  virtual ~MergingKernel() = default;
  // Returns how many launches can be merged.
  virtual size_t max_merged() const = 0;
  // Returns a launch that does the work of 1 to max_merged() others, all on one device.
  // \error as GpuDevice::Function.
  virtual StatusOr<ReadyLaunch> Merge(std::span<const HeldLaunch> launches) const = 0;
};

// A LaunchMerger holds launches of a MergingKernel back until other work touches their tensors, so
// that several become one.
class LaunchMerger {
 public:
  explicit LaunchMerger(DriverQueue& queue) : queue_(queue) {}

  // Adds a launch, which may be held back and merged with later ones of the same kernel.
  // \error the errors of launches that were held back before.
  Status Add(const MergingKernel& kernel, HeldLaunch launch);
  // Starts the launches that were held back.
  Status Start();
  // Returns the launches that were started since the last call, whose tensors are not needed now.
  // The end of a tensor may wait for the queue.
  std::vector<HeldLaunch> TakeStarted() { return std::exchange(started_, {}); }
  // Reports whether launches that were held back use a block.
  bool Uses(const DriverMemory* block) const;
  // Returns how many launches did the work of several.
  int64_t merged() const { return merged_; }

 private:
  bool DependsOnHeld(const HeldLaunch& launch) const;

  DriverQueue& queue_;
  const MergingKernel* kernel_ = nullptr;  // of held_
  std::vector<HeldLaunch> held_, started_;
  std::vector<const DriverMemory*> read_, written_;  // by held_
  int64_t merged_ = 0;
};

}  // namespace ramet::gpu
