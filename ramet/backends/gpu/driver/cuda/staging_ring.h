#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "ramet/backends/gpu/driver/cuda/cuda_context.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu::cuda {

// A StagingRing starts copies from host memory without waiting for them. It copies the bytes to
// memory that is pinned, from which the device takes them when the stream gets there. The memory is
// used in two halves: one is filled while the copies from the other one are under way. It is
// allocated by the first copy. Thread-safe.
class StagingRing {
 public:
  static constexpr size_t kHalfBytes = size_t{4} << 20;

  // The stream must outlive this object.
  StagingRing(const Context& context, api::Stream* stream) : context_(context), stream_(stream) {}
  // Waits for the copies.
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  // Enqueues a copy to the device. Returns false, with no side effects, if it has more than
  // kHalfBytes bytes or no memory can be pinned.
  // \error kInternal: the driver failed.
  StatusOr<bool> Copy(api::DevicePointer to, std::span<const std::byte> from);

 private:
  bool Prepare() RAMET_REQUIRES(mutex_);
  // Goes on with the other half, when the copies from it are done.
  Status Turn() RAMET_REQUIRES(mutex_);
  const api::Functions& cuda() const { return context_.cuda(); }

  const Context& context_;
  api::Stream* const stream_;
  Mutex mutex_;
  bool is_prepared_ RAMET_GUARDED_BY(mutex_) = false;
  std::byte* memory_ RAMET_GUARDED_BY(mutex_) = nullptr;
  // The end of the copies from each half; null before they were first recorded.
  std::array<api::Event*, 2> ends_ RAMET_GUARDED_BY(mutex_) = {};
  size_t half_ RAMET_GUARDED_BY(mutex_) = 0;
  size_t used_ RAMET_GUARDED_BY(mutex_) = 0;  // bytes of the half
};

}  // namespace ramet::gpu::cuda
