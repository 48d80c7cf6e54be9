#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "ramet/device/device.h"

namespace ramet {

// The memory of a simulated accelerator: one region that is mapped twice. Buffers point into the
// mapping without access, where any touch by the host faults; the device's own code goes through
// the other. Thread-safe.
class SimulatedMemory final : public Allocator, public DeviceMemory {
 public:
  // Of `bytes`, whose address space is reserved (twice) at the first allocation: a process that
  // does not use the device does not pay for it. Pages are taken when touched.
  explicit SimulatedMemory(size_t bytes) : bytes_(bytes) {}
  ~SimulatedMemory() override;

  std::string_view name() const override { return "simulated accelerator"; }
  // Device memory. \error kResourceExhausted when the region is full, or the process may not have
  // that much address space (RLIMIT_AS): then the next call tries again.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Device memory seen through its view: what kernels make their outputs in.
  StatusOr<BufferPtr> AllocateView(size_t bytes);
  Tensor View(const Tensor& device_tensor) const override;
  Tensor Unview(const Tensor& view) const override;

  // Called by a buffer that nobody holds any more.
  void Free(size_t offset, size_t bytes);

 private:
  // Once, before the first buffer is handed out; does nothing later. Under mutex_.
  Status Reserve();

  char* guarded_ = nullptr;
  char* open_ = nullptr;
  const size_t bytes_;
  std::mutex mutex_;
  size_t used_ = 0;
  std::map<size_t, std::vector<size_t>> free_;  // offsets by block size
};

}  // namespace ramet
