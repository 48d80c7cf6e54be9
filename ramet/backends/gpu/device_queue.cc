#include "ramet/backends/gpu/device_queue.h"

#include <algorithm>

#include "ramet/backends/gpu/memory/caching_allocator.h"

namespace ramet::gpu {
namespace {

bool UseAnyOf(std::span<const Tensor> tensors, const std::vector<const DriverMemory*>& blocks) {
  return std::ranges::any_of(tensors, [&](const Tensor& t) {
    return std::ranges::find(blocks, &GpuBuffer::BlockOf(t)) != blocks.end();
  });
}

}  // namespace

Status DeviceQueue::Launch(DriverFunction& function, const LaunchSize& size,
                           std::span<const KernelArgument> arguments) {
  MutexLock lock(mutex_);
  bool uses_held = false;
  for (const KernelArgument& argument : arguments) {
    if (held_.empty() || uses_held) break;
    uses_held = argument.memory() != nullptr && Holds(argument.memory());
  }
  if (uses_held) RAMET_RETURN_IF_ERROR(StartHeld());
  ++launches_;
  return queue_->Launch(function, size, arguments);
}

Status DeviceQueue::CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                                 std::unique_ptr<DriverEvent>* done) {
  RAMET_RETURN_IF_ERROR(StartHeldOn({&to}));
  ++copies_to_device_;
  bytes_to_device_ += static_cast<int64_t>(from.size());
  return queue_->CopyFromHost(to, from, done);
}

Status DeviceQueue::CopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  RAMET_RETURN_IF_ERROR(StartHeldOn({&from}));
  ++copies_to_host_;
  bytes_to_host_ += static_cast<int64_t>(to.size());
  return queue_->CopyToHost(to, from);
}

Status DeviceQueue::StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                                    std::unique_ptr<DriverEvent>* done) {
  RAMET_RETURN_IF_ERROR(StartHeldOn({&from}));
  ++copies_to_host_;
  bytes_to_host_ += static_cast<int64_t>(to.size());
  return queue_->StartCopyToHost(to, from, done);
}

Status DeviceQueue::Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  RAMET_RETURN_IF_ERROR(StartHeldOn({&to, &from}));
  return queue_->Copy(to, from, bytes);
}

Status DeviceQueue::Zero(DriverMemory& memory, size_t bytes) {
  RAMET_RETURN_IF_ERROR(StartHeldOn({&memory}));
  return queue_->Zero(memory, bytes);
}

StatusOr<std::unique_ptr<DriverEvent>> DeviceQueue::Record() {
  RAMET_RETURN_IF_ERROR(StartAllHeld());
  return queue_->Record();
}

Status DeviceQueue::WaitFor(DriverEvent& event) {
  RAMET_RETURN_IF_ERROR(StartAllHeld());
  return queue_->WaitFor(event);
}

Status DeviceQueue::Flush() {
  RAMET_RETURN_IF_ERROR(StartAllHeld());
  return queue_->Flush();
}

Status DeviceQueue::Finish() {
  const Status started = StartAllHeld();
  const Status finished = queue_->Finish();
  return started.ok() ? finished : started;
}

Status DeviceQueue::LaunchMerged(const MergingKernel& kernel, HeldLaunch launch) {
  MutexLock lock(mutex_);
  if (kernel_ != &kernel || DependsOnHeld(launch)) RAMET_RETURN_IF_ERROR(StartHeld());
  kernel_ = &kernel;
  for (const Tensor& t : launch.read) held_read_.push_back(&GpuBuffer::BlockOf(t));
  for (const Tensor& t : launch.written) held_written_.push_back(&GpuBuffer::BlockOf(t));
  held_.push_back(std::move(launch));
  return held_.size() < kernel.max_merged() ? OkStatus() : StartHeld();
}

Status DeviceQueue::StartHeld() {
  if (held_.empty()) return OkStatus();
  const std::vector<HeldLaunch> held = std::exchange(held_, {});
  held_read_.clear();
  held_written_.clear();
  RAMET_ASSIGN_OR_RETURN(const ReadyLaunch merged, kernel_->Merge(held));
  ++launches_;
  if (held.size() > 1) ++merged_;
  return queue_->Launch(*merged.function, merged.size, merged.arguments);
}

Status DeviceQueue::StartAllHeld() {
  MutexLock lock(mutex_);
  return StartHeld();
}

Status DeviceQueue::StartHeldOn(std::initializer_list<const DriverMemory*> blocks) {
  MutexLock lock(mutex_);
  for (const DriverMemory* block : blocks) {
    if (Holds(block)) return StartHeld();
  }
  return OkStatus();
}

bool DeviceQueue::Holds(const DriverMemory* block) const {
  return std::ranges::find(held_read_, block) != held_read_.end() ||
         std::ranges::find(held_written_, block) != held_written_.end();
}

bool DeviceQueue::DependsOnHeld(const HeldLaunch& launch) const {
  return UseAnyOf(launch.read, held_written_) || UseAnyOf(launch.written, held_written_) ||
         UseAnyOf(launch.written, held_read_);
}

DeviceWork DeviceQueue::work() const {
  return {.launches = launches_,
          .fused_launches = fused_,
          .merged_launches = merged_,
          .copies_to_device = copies_to_device_,
          .bytes_to_device = bytes_to_device_,
          .copies_to_host = copies_to_host_,
          .bytes_to_host = bytes_to_host_};
}

}  // namespace ramet::gpu
