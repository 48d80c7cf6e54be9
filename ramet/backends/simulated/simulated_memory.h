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
  // Reserves `bytes` of address space; pages are taken when touched. nullptr if that is refused.
  static std::unique_ptr<SimulatedMemory> Create(size_t bytes);
  ~SimulatedMemory() override;

  std::string_view name() const override { return "simulated accelerator"; }
  // Device memory. \error kResourceExhausted when the region is full.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Device memory seen through its view: what kernels make their outputs in.
  StatusOr<BufferPtr> AllocateView(size_t bytes);
  Tensor View(const Tensor& device_tensor) const override;
  Tensor Unview(const Tensor& view) const override;

  // Called by a buffer that nobody holds any more.
  void Free(size_t offset, size_t bytes);

 private:
  SimulatedMemory(char* guarded, char* open, size_t bytes)
      : guarded_(guarded), open_(open), bytes_(bytes) {}

  char* const guarded_;
  char* const open_;
  const size_t bytes_;
  std::mutex mutex_;
  size_t used_ = 0;
  std::map<size_t, std::vector<size_t>> free_;  // offsets by block size
};

}  // namespace ramet
