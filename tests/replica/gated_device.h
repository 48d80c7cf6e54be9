#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "ramet/device/background_copier.h"
#include "ramet/device/device.h"

namespace ramet {

// A Gate holds background copies back, or makes them fail.
class Gate {
 public:
  static Gate& Global() {
    static Gate gate;
    return gate;
  }
  void Close() { Set(false, OkStatus()); }
  void Open() { Set(true, OkStatus()); }
  // Makes copies fail after half of the bytes are written.
  void Fail(Status status) { Set(true, std::move(status)); }
  Status Pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
    return status_;
  }
  // Waits until a copy waits at the gate.
  void WaitForCopy() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }

 private:
  void Set(bool open, Status status) {
    std::lock_guard lock(mutex_);
    open_ = open;
    status_ = std::move(status);
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int waiting_ = 0;
  Status status_;
};

// A GatedDevice is a simulated accelerator whose background copies pass the Gate.
class GatedDevice final : public Device, public BackgroundCopier {
 public:
  explicit GatedDevice(Device& device)
      : Device("GATED", 0), device_(device), copier_(*BackgroundCopierOf(device)) {}
  static inline std::atomic<int> values_copied_in = 0;
  // Registers /device:GATED:0.
  static bool Register() {
    Device* const simulated = DeviceRegistry::Global().Get("SIM", 1).value();
    DeviceRegistry::Global().Register("GATED", 1, [simulated](int) -> std::unique_ptr<Device> {
      return std::make_unique<GatedDevice>(*simulated);
    });
    return true;
  }

  Allocator* allocator() override { return device_.allocator(); }
  Allocator* kernel_allocator() override { return device_.kernel_allocator(); }
  std::string_view kernel_type() const override { return device_.kernel_type(); }
  const DeviceMemory* memory() const override { return device_.memory(); }
  bool asynchronous() const override { return true; }
  void Enqueue(std::function<void()> work) override { device_.Enqueue(std::move(work)); }
  Status Synchronize() override { return device_.Synchronize(); }
  StatusOr<Tensor> CopyFromHost(const Tensor& host) override { return device_.CopyFromHost(host); }
  StatusOr<Tensor> CopyToHost(const Tensor& there) override { return device_.CopyToHost(there); }

  StatusOr<std::unique_ptr<DeviceMark>> Mark() override { return copier_.Mark(); }
  Status CopyOut(DeviceMark& mark, std::span<const Copy> copies) override {
    const Status passed = Gate::Global().Pass();
    if (passed.ok()) return copier_.CopyOut(mark, copies);
    for (const Copy& copy : copies) std::memset(copy.to.data(), 0xff, copy.to.size() / 2);
    return passed;
  }
  StatusOr<std::vector<Tensor>> CopyIn(std::span<const Tensor> host) override {
    values_copied_in += static_cast<int>(host.size());
    return copier_.CopyIn(host);
  }

 private:
  Device& device_;
  BackgroundCopier& copier_;
};

}  // namespace ramet
