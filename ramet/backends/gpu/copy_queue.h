#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ramet/backends/gpu/device_queue.h"
#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/device/background_copier.h"

namespace ramet::gpu {

// A QueueMark is an event of the queue that a device computes on.
class QueueMark final : public DeviceMark {
 public:
  explicit QueueMark(std::unique_ptr<DriverEvent> event) : event_(std::move(event)) {}
  DriverEvent& event() const { return *event_; }

 private:
  const std::unique_ptr<DriverEvent> event_;
};

// A CopyQueue copies values between a device and the host on a queue of its own, which waits for
// the queue that the device computes on, but not the other way around. Thread-safe.
class CopyQueue {
 public:
  // `compute` is the queue that the device computes on, and must outlive this object.
  CopyQueue(DriverQueue& compute, std::unique_ptr<DriverQueue> queue)
      : compute_(compute), queue_(std::move(queue)) {}

  // Do what these functions of BackgroundCopier do.
  StatusOr<std::unique_ptr<DeviceMark>> Mark();
  Status CopyOut(DeviceMark& mark, std::span<const BackgroundCopier::Copy> copies);
  // Copies tensors to tensors of the same sizes in the device's memory, after `mark`, and waits for
  // the copies. Nothing else may use the targets.
  // \error as for BackgroundCopier::CopyOut.
  Status CopyWithin(DeviceMark& mark, std::span<const Tensor> from, std::span<const Tensor> to);
  // Copies host tensors to tensors of the same sizes in the device's memory. They must be newly
  // allocated: work enqueued earlier may still use their blocks.
  // \error as for DriverQueue.
  Status CopyIn(std::span<const Tensor> from, std::span<const Tensor> to);
  DeviceWork work() const { return queue_.work(); }

 private:
  using Events = std::vector<std::unique_ptr<DriverEvent>>;
  Status StartOut(std::span<const BackgroundCopier::Copy> copies, Events* events);
  Status StartIn(std::span<const Tensor> from, std::span<const Tensor> to, Events* events);
  Status Finish(const Status& started, const Events& events);

  DriverQueue& compute_;
  DeviceQueue queue_;
};

}  // namespace ramet::gpu
