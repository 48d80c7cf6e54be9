#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "ramet/backends/gpu/testing/forwarding_device.h"

namespace ramet::gpu {

// A FailingDevice is another device until Fail() is called. Then every call of its queues fails, as
// on a GPU that is lost.
class FailingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void Fail() { failed_ = true; }

 private:
  Status Lost() const { return Internal("clFinish: the device was lost (-36)"); }

  class Queue final : public DriverQueue {
   public:
    Queue(FailingDevice& device, std::unique_ptr<DriverQueue> queue)
        : device_(device), queue_(std::move(queue)) {}
    Status Launch(DriverFunction& function, const LaunchSize& size,
                  std::span<const KernelArgument> arguments) override {
      return device_.failed_ ? device_.Lost() : queue_->Launch(function, size, arguments);
    }
    Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                        std::unique_ptr<DriverEvent>* done) override {
      return device_.failed_ ? device_.Lost() : queue_->CopyFromHost(to, from, done);
    }
    Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) override {
      return device_.failed_ ? device_.Lost() : queue_->CopyToHost(to, from);
    }
    Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override {
      return device_.failed_ ? device_.Lost() : queue_->Copy(to, from, bytes);
    }
    Status Zero(DriverMemory& memory, size_t bytes) override {
      return device_.failed_ ? device_.Lost() : queue_->Zero(memory, bytes);
    }
    StatusOr<std::unique_ptr<DriverEvent>> Record() override {
      if (device_.failed_) return device_.Lost();
      return queue_->Record();
    }
    Status WaitFor(DriverEvent& event) override {
      return device_.failed_ ? device_.Lost() : queue_->WaitFor(event);
    }
    Status Flush() override { return device_.failed_ ? device_.Lost() : queue_->Flush(); }
    Status Finish() override { return device_.failed_ ? device_.Lost() : queue_->Finish(); }

   private:
    FailingDevice& device_;
    const std::unique_ptr<DriverQueue> queue_;
  };

  std::unique_ptr<DriverQueue> Wrap(std::unique_ptr<DriverQueue> queue) override {
    return std::make_unique<Queue>(*this, std::move(queue));
  }

  std::atomic<bool> failed_ = false;
};

}  // namespace ramet::gpu
