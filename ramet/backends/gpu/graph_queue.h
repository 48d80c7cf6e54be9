#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "ramet/backends/gpu/graph_cache.h"
#include "ramet/backends/gpu/launch_sequence.h"
#include "ramet/base/mutex.h"
#include "ramet/device/device_work.h"

namespace ramet::gpu {

// A GraphQueue starts sequences of work that come again and again as graphs of the driver. The
// effects are those of starting each element at once.
//
// A sequence is the work between two points at which the host, another queue or changing work could
// see what has been started. Its elements are started one by one at first, and noted. When it comes
// again, it becomes a graph. From then on, work is held back as long as it is that of a graph, and
// the graph is launched when it is complete. If the work turns out to be different, what was held
// back is started one by one. Thread-safe.
class GraphQueue final : public DriverQueue {
 public:
  // Without `uses_graphs`, or if the driver has no graphs, starts each element at once.
  GraphQueue(std::unique_ptr<DriverQueue> queue, bool uses_graphs)
      : queue_(std::move(queue)), uses_graphs_(uses_graphs && queue_->has_graphs()) {}

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
  // Calls a function of a library, which enqueues work.
  // \error as LibraryCall::Enqueue.
  Status Call(LibraryCall& call, std::span<const int64_t> parameters,
              std::span<DriverMemory* const> blocks);

  // Starts what is held back, and ends the sequence. Work that is different each time belongs
  // between two calls.
  // \error the errors of the work.
  Status EndSequence();
  // Reports whether a block is used by the work since the sequence began. A copy from the host into
  // such a block ends the sequence.
  bool Uses(const DriverMemory& block);
  // Starts what is held back, and removes all graphs. Comes before blocks are destroyed.
  void ForgetBlocks();

  DriverQueue& driver_queue() { return *queue_; }
  // Returns the fields of launches and graphs.
  DeviceWork work() const;

 private:
  template <class Start>
  Status Add(const Start& start) RAMET_REQUIRES(mutex_);
  // Holds next_ back if it goes on with a graph.
  bool Follow() RAMET_REQUIRES(mutex_);
  Status StartHeld() RAMET_REQUIRES(mutex_);
  Status End() RAMET_REQUIRES(mutex_);

  const std::unique_ptr<DriverQueue> queue_;
  std::atomic<bool> uses_graphs_;
  Mutex mutex_;
  GraphCache graphs_ RAMET_GUARDED_BY(mutex_);
  LaunchSequence next_ RAMET_GUARDED_BY(mutex_);     // the element that is being added
  LaunchSequence started_ RAMET_GUARDED_BY(mutex_);  // the elements of the sequence, one by one
  // The graph whose first elements were added, and are held back.
  CachedGraph* followed_ RAMET_GUARDED_BY(mutex_) = nullptr;
  size_t held_ RAMET_GUARDED_BY(mutex_) = 0;
  std::atomic<int64_t> launches_ = 0, graph_launches_ = 0, launches_in_graphs_ = 0;
};

}  // namespace ramet::gpu
