#pragma once

#include <memory>

#include "ramet/backends/gpu/driver/cuda/cuda_objects.h"
#include "ramet/base/file.h"

namespace ramet::gpu::cuda {

// A SharedMemory is device memory that CUDA's virtual memory management passes between processes:
// an allocation, the descriptor that names it, and a range of addresses where it is mapped.
class SharedMemory final : public DriverSharedMemory {
 public:
  // Returns a text that is the same for the same device and driver; empty if the device cannot
  // share memory.
  static std::string KeyOf(const api::Functions& cuda, api::Device device);
  // Does what DriverDevice::AllocateShared does.
  static StatusOr<std::unique_ptr<DriverSharedMemory>> Allocate(const Context& context,
                                                                api::Device device, size_t bytes);
  // Does what DriverDevice::OpenShared does.
  static StatusOr<std::unique_ptr<DriverSharedMemory>> Open(const Context& context,
                                                            api::Device device, int fd,
                                                            size_t bytes);
  ~SharedMemory() override;

  size_t size() const override { return size_; }
  int fd() const override { return fd_.get(); }
  std::unique_ptr<DriverMemory> At(size_t offset) override {
    return std::make_unique<Memory>(address_ + offset);
  }

 private:
  SharedMemory(const Context& context, api::Device device, size_t size)
      : context_(context), device_(device), size_(size) {}
  Status Create();
  Status Import(int fd);
  // Maps the allocation.
  Status Map();
  Status Allow(int access);
  // Like Queue::Call, in a context that is current.
  Status Check(api::Result result, std::string_view what) const {
    return StatusOfResult(context_.cuda(), result, what);
  }

  const Context& context_;
  const api::Device device_;
  const size_t size_;
  FileDescriptor fd_;
  api::MemoryHandle handle_ = 0;
  bool has_handle_ = false, is_mapped_ = false;
  api::DevicePointer address_ = 0;
};

}  // namespace ramet::gpu::cuda
