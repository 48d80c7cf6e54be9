#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/base/mutex.h"
#include "ramet/device/device_work.h"
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

// A DeviceQueue is the queue of a GPU. It counts the work, and merges launches: it holds those of a
// MergingKernel back until other work touches their tensors, so that several become one. The
// effects are those of the order in which the work is enqueued. Thread-safe.
class DeviceQueue final : public DriverQueue {
 public:
  explicit DeviceQueue(std::unique_ptr<DriverQueue> queue) : queue_(std::move(queue)) {}

  Status Launch(DriverFunction& function, const LaunchSize& size,
                std::span<const KernelArgument> arguments) override;
  Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                      std::unique_ptr<DriverEvent>* done) override;
  Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) override;
  Status StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                         std::unique_ptr<DriverEvent>* done) override;
  Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override;
  Status Zero(DriverMemory& memory, size_t bytes) override;
  StatusOr<std::unique_ptr<DriverEvent>> Record() override;
  Status WaitFor(DriverEvent& event) override;
  Status Flush() override;
  Status Finish() override;

  // Enqueues a launch that may be held back and merged with later ones of the same kernel.
  // \error the errors of launches that were held back before.
  Status LaunchMerged(const MergingKernel& kernel, HeldLaunch launch);

  // Returns the driver's queue, for libraries that enqueue launches by themselves. Such a launch
  // needs StartHeldOn with its blocks before it, and CountLaunch after it.
  DriverQueue& driver_queue() { return *queue_; }
  // Starts the launches that were held back if one of these blocks is in use by them.
  Status StartHeldOn(std::initializer_list<const DriverMemory*> blocks) RAMET_EXCLUDES(mutex_);
  void CountLaunch() { ++launches_; }

  DeviceWork work() const;
  // Notes that the next launch does the work of several element-wise ops.
  void CountFused() { ++fused_; }

 private:
  // Starts the launches that were held back.
  Status StartHeld() RAMET_REQUIRES(mutex_);
  Status StartAllHeld() RAMET_EXCLUDES(mutex_);
  bool Holds(const DriverMemory* block) const RAMET_REQUIRES(mutex_);
  bool DependsOnHeld(const HeldLaunch& launch) const RAMET_REQUIRES(mutex_);

  const std::unique_ptr<DriverQueue> queue_;
  Mutex mutex_;
  const MergingKernel* kernel_ RAMET_GUARDED_BY(mutex_) = nullptr;  // of held_
  std::vector<HeldLaunch> held_ RAMET_GUARDED_BY(mutex_);
  std::vector<const DriverMemory*> held_read_ RAMET_GUARDED_BY(mutex_);
  std::vector<const DriverMemory*> held_written_ RAMET_GUARDED_BY(mutex_);
  std::atomic<int64_t> launches_ = 0, fused_ = 0, merged_ = 0;
  std::atomic<int64_t> copies_to_device_ = 0, bytes_to_device_ = 0;
  std::atomic<int64_t> copies_to_host_ = 0, bytes_to_host_ = 0;
};

}  // namespace ramet::gpu
