#include "ramet/backends/gpu/driver/cuda/staging_ring.h"

#include <cstring>

namespace ramet::gpu::cuda {

StagingRing::~StagingRing() {
  MutexLock lock(mutex_);
  if (memory_ == nullptr) return;
  const Scope scope(context_);
  cuda().StreamSynchronize(stream_);
  for (api::Event* event : ends_) {
    if (event != nullptr) cuda().EventDestroy(event);
  }
  cuda().MemFreeHost(memory_);
}

StatusOr<bool> StagingRing::Copy(api::DevicePointer to, std::span<const std::byte> from) {
  constexpr size_t kAlignment = 256;
  if (from.size() > kHalfBytes) return false;
  const Scope scope(context_);
  MutexLock lock(mutex_);
  if (!Prepare()) return false;
  if (from.size() > kHalfBytes - used_) RAMET_RETURN_IF_ERROR(Turn());
  std::byte* const staged = memory_ + half_ * kHalfBytes + used_;
  std::memcpy(staged, from.data(), from.size());
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      cuda(), cuda().MemcpyHtoDAsync(to, staged, from.size(), stream_), "cuMemcpyHtoDAsync"));
  used_ += (from.size() + kAlignment - 1) / kAlignment * kAlignment;
  return true;
}

bool StagingRing::Prepare() {
  if (is_prepared_) return memory_ != nullptr;
  is_prepared_ = true;
  void* memory = nullptr;
  if (cuda().MemHostAlloc(&memory, 2 * kHalfBytes, 0) != api::k_CUDA_SUCCESS) return false;
  memory_ = static_cast<std::byte*>(memory);
  return true;
}

Status StagingRing::Turn() {
  if (ends_[half_] == nullptr) {
    RAMET_RETURN_IF_ERROR(StatusOfResult(
        cuda(), cuda().EventCreate(&ends_[half_], unsigned{api::k_CU_EVENT_DISABLE_TIMING}),
        "cuEventCreate"));
  }
  RAMET_RETURN_IF_ERROR(
      StatusOfResult(cuda(), cuda().EventRecord(ends_[half_], stream_), "cuEventRecord"));
  half_ = 1 - half_;
  used_ = 0;
  if (ends_[half_] == nullptr) return OkStatus();
  return StatusOfResult(cuda(), cuda().EventSynchronize(ends_[half_]), "cuEventSynchronize");
}

}  // namespace ramet::gpu::cuda
