#include "ramet/backends/gpu/device_queue.h"

#include <algorithm>

namespace ramet::gpu {

Status DeviceQueue::Launch(DriverFunction& function, const LaunchSize& size,
                           std::span<const KernelArgument> arguments) {
  return Locked([&]() RAMET_REQUIRES(mutex_) -> Status {
    for (const KernelArgument& argument : arguments) {
      if (const DriverMemory* const block = argument.memory(); block != nullptr) {
        RAMET_RETURN_IF_ERROR(StartMerged({&block, 1}));
      }
    }
    return queue_.Launch(function, size, arguments);
  });
}

Status DeviceQueue::CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                                 std::unique_ptr<DriverEvent>* done) {
  const DriverMemory* const block = &to;
  RAMET_RETURN_IF_ERROR(Locked([&]() RAMET_REQUIRES(mutex_) { return StartMerged({&block, 1}); }));
  ++copies_to_device_;
  bytes_to_device_ += static_cast<int64_t>(from.size());
  return queue_.CopyFromHost(to, from, done);
}

// The host waits for the device, so all launches start before, as parts of one graph.
Status DeviceQueue::CopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  RAMET_RETURN_IF_ERROR(StartAllMerged());
  ++copies_to_host_;
  bytes_to_host_ += static_cast<int64_t>(to.size());
  return queue_.CopyToHost(to, from);
}

Status DeviceQueue::StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                                    std::unique_ptr<DriverEvent>* done) {
  RAMET_RETURN_IF_ERROR(StartAllMerged());
  ++copies_to_host_;
  bytes_to_host_ += static_cast<int64_t>(to.size());
  return queue_.StartCopyToHost(to, from, done);
}

Status DeviceQueue::Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  const DriverMemory* const blocks[] = {&to, &from};
  return Locked([&]() RAMET_REQUIRES(mutex_) -> Status {
    RAMET_RETURN_IF_ERROR(StartMerged(blocks));
    return queue_.Copy(to, from, bytes);
  });
}

Status DeviceQueue::Zero(DriverMemory& memory, size_t bytes) {
  const DriverMemory* const block = &memory;
  return Locked([&]() RAMET_REQUIRES(mutex_) -> Status {
    RAMET_RETURN_IF_ERROR(StartMerged({&block, 1}));
    return queue_.Zero(memory, bytes);
  });
}

StatusOr<std::unique_ptr<DriverEvent>> DeviceQueue::Record() {
  RAMET_RETURN_IF_ERROR(StartAllMerged());
  return queue_.Record();
}

Status DeviceQueue::WaitFor(DriverEvent& event) {
  RAMET_RETURN_IF_ERROR(StartAllMerged());
  return queue_.WaitFor(event);
}

Status DeviceQueue::Flush() {
  RAMET_RETURN_IF_ERROR(StartAllMerged());
  return queue_.Flush();
}

Status DeviceQueue::Finish() {
  const Status started = StartAllMerged();
  const Status finished = queue_.Finish();
  return started.ok() ? finished : started;
}

Status DeviceQueue::LaunchMerged(const MergingKernel& kernel, HeldLaunch launch) {
  return Locked([&]() RAMET_REQUIRES(mutex_) { return merger_.Add(kernel, std::move(launch)); });
}

Status DeviceQueue::Call(LibraryCall& call, std::span<const int64_t> parameters,
                         std::span<DriverMemory* const> blocks) {
  return Locked([&]() RAMET_REQUIRES(mutex_) -> Status {
    RAMET_RETURN_IF_ERROR(StartMerged(blocks));
    return queue_.Call(call, parameters, blocks);
  });
}

Status DeviceQueue::StartHeldOn(std::initializer_list<const DriverMemory*> blocks) {
  RAMET_RETURN_IF_ERROR(Locked([&]() RAMET_REQUIRES(mutex_) {
    return StartMerged({blocks.begin(), blocks.size()});
  }));
  return queue_.EndSequence();
}

Status DeviceQueue::StartMerged(std::span<const DriverMemory* const> blocks) {
  const bool uses_them =
      std::ranges::any_of(blocks, [this](const DriverMemory* block)
                                      RAMET_REQUIRES(mutex_) { return merger_.Uses(block); });
  return uses_them ? merger_.Start() : OkStatus();
}

Status DeviceQueue::StartAllMerged() {
  return Locked([&]() RAMET_REQUIRES(mutex_) { return merger_.Start(); });
}

DeviceWork DeviceQueue::work() const {
  DeviceWork work = queue_.work();
  work.fused_launches = fused_;
  work.copies_to_device = copies_to_device_;
  work.bytes_to_device = bytes_to_device_;
  work.copies_to_host = copies_to_host_;
  work.bytes_to_host = bytes_to_host_;
  MutexLock lock(mutex_);
  work.merged_launches = merger_.merged();
  return work;
}

}  // namespace ramet::gpu
