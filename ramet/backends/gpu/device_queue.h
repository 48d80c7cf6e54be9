#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/graph_queue.h"
#include "ramet/backends/gpu/launch_merger.h"
#include "ramet/base/mutex.h"
#include "ramet/device/device_work.h"

namespace ramet::gpu {

// A DeviceQueue is the queue of a GPU. It counts the work, merges launches (LaunchMerger), and
// starts work that comes again as graphs (GraphQueue). The effects are those of the order in which
// the work is enqueued. Thread-safe.
class DeviceQueue final : public DriverQueue {
 public:
  explicit DeviceQueue(std::unique_ptr<DriverQueue> queue, bool uses_graphs = false)
      : queue_(std::move(queue), uses_graphs), merger_(queue_) {}

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
  Status LaunchMerged(const MergingKernel& kernel, HeldLaunch launch) RAMET_EXCLUDES(mutex_);
  // Calls a function of a library, which enqueues work on these blocks. It counts as one launch.
  // \error as LibraryCall::Enqueue, or the errors of launches that were held back before.
  Status Call(LibraryCall& call, std::span<const int64_t> parameters,
              std::span<DriverMemory* const> blocks) RAMET_EXCLUDES(mutex_);
  // Returns the queue that gets what is not waiting to be merged.
  GraphQueue& graphs() { return queue_; }

  // Returns the driver's queue. Work that is enqueued there needs StartHeldOn with its blocks
  // first.
  DriverQueue& driver_queue() { return queue_.driver_queue(); }
  // Starts the work that was held back and may use these blocks.
  Status StartHeldOn(std::initializer_list<const DriverMemory*> blocks) RAMET_EXCLUDES(mutex_);

  DeviceWork work() const RAMET_EXCLUDES(mutex_);
  // Notes that the next launch does the work of several element-wise ops.
  void CountFused() { ++fused_; }

 private:
  // Calls `work` with the lock. Tensors of launches that it starts are released without the lock.
  template <class Work>
  Status Locked(const Work& work) RAMET_EXCLUDES(mutex_) {
    std::vector<HeldLaunch> started;
    MutexLock lock(mutex_);
    const Status status = work();
    started = merger_.TakeStarted();
    return status;
  }
  // Starts the launches that wait to be merged: all of them, if one of them uses one of the blocks.
  Status StartMerged(std::span<const DriverMemory* const> blocks) RAMET_REQUIRES(mutex_);
  Status StartAllMerged() RAMET_EXCLUDES(mutex_);

  GraphQueue queue_;
  mutable Mutex mutex_;
  LaunchMerger merger_ RAMET_GUARDED_BY(mutex_);
  std::atomic<int64_t> fused_ = 0;
  std::atomic<int64_t> copies_to_device_ = 0, bytes_to_device_ = 0;
  std::atomic<int64_t> copies_to_host_ = 0, bytes_to_host_ = 0;
};

}  // namespace ramet::gpu
