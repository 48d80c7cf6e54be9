#pragma once

#include <memory>
#include <string>

#include "ramet/backends/gpu/copy_queue.h"
#include "ramet/backends/gpu/device_queue.h"
#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/memory/caching_allocator.h"
#include "ramet/device/device.h"
#include "ramet/device/host_registrar.h"
#include "ramet/device/memory_sharer.h"
#include "ramet/op/tensor_math.h"

namespace ramet::gpu {

class GpuDevice;

// A GpuMemory is the memory of a GPU. Kernels of the CPU cannot access it; DeviceMath can.
// Thread-safe.
class GpuMemory final : public DeviceMemory,
                        public HasDeviceMath,
                        public HostRegistrar,
                        public MemorySharer {
 public:
  // The parts of a device that its memory uses. They outlive it.
  struct Parts {
    GpuDevice& device;
    DriverDevice& driver;
    const DeviceMath& math;
    DeviceQueue& queue;
    CopyQueue& copies;
    CachingAllocator& allocator;
  };
  explicit GpuMemory(const Parts& parts) : parts_(parts), sharing_key_(parts.driver.SharingKey()) {}
  GpuDevice& device() const { return parts_.device; }

  Tensor View(const Tensor& device_tensor) const override { return device_tensor; }
  Tensor Unview(const Tensor& view) const override { return view; }
  const DeviceMath& math() const override { return parts_.math; }

  std::unique_ptr<HostRegistration> Register(std::span<const std::byte> memory,
                                             HostAccess access) const override;

  const std::string& sharing_key() const override { return sharing_key_; }
  StatusOr<std::shared_ptr<SharedBlock>> AllocateShared(size_t bytes) const override;
  StatusOr<std::shared_ptr<SharedBlock>> OpenShared(int fd, size_t bytes) const override;
  Status CopyToShared(DeviceMark& mark, std::span<const Tensor> from,
                      std::span<const Tensor> to) const override {
    return parts_.copies.CopyWithin(mark, from, to);
  }
  void WaitForWork() const override;

 private:
  std::shared_ptr<SharedBlock> BlockOf(std::unique_ptr<DriverSharedMemory> shared,
                                       bool is_own) const;

  const Parts parts_;
  const std::string sharing_key_;
};

}  // namespace ramet::gpu
