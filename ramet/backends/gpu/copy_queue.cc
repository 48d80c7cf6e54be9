#include "ramet/backends/gpu/copy_queue.h"

#include "ramet/backends/gpu/memory/caching_allocator.h"

namespace ramet::gpu {

// The flush starts the work before the mark, which the other queue would otherwise wait for forever
// if the device is given no more work.
StatusOr<std::unique_ptr<DeviceMark>> CopyQueue::Mark() {
  RAMET_ASSIGN_OR_RETURN(auto event, compute_.Record());
  RAMET_RETURN_IF_ERROR(compute_.Flush());
  return std::unique_ptr<DeviceMark>(std::make_unique<QueueMark>(std::move(event)));
}

Status CopyQueue::CopyOut(DeviceMark& mark, std::span<const BackgroundCopier::Copy> copies) {
  DriverEvent& reached = static_cast<QueueMark&>(mark).event();
  RAMET_RETURN_IF_ERROR(queue_.WaitFor(reached));
  Events events;
  RAMET_RETURN_IF_ERROR(Finish(StartOut(copies, &events), events));
  return reached.Wait();
}

Status CopyQueue::CopyWithin(DeviceMark& mark, std::span<const Tensor> from,
                             std::span<const Tensor> to) {
  DriverEvent& reached = static_cast<QueueMark&>(mark).event();
  RAMET_RETURN_IF_ERROR(queue_.WaitFor(reached));
  Status started;
  for (size_t i = 0; i < from.size() && started.ok(); ++i) {
    started = queue_.Copy(GpuBuffer::BlockOf(to[i]), GpuBuffer::BlockOf(from[i]), from[i].bytes());
  }
  const Status finished = queue_.Finish();
  RAMET_RETURN_IF_ERROR(started);
  RAMET_RETURN_IF_ERROR(finished);
  return reached.Wait();
}

Status CopyQueue::CopyIn(std::span<const Tensor> from, std::span<const Tensor> to) {
  RAMET_ASSIGN_OR_RETURN(const auto mark, Mark());
  RAMET_RETURN_IF_ERROR(queue_.WaitFor(static_cast<QueueMark&>(*mark).event()));
  Events events;
  return Finish(StartIn(from, to, &events), events);
}

Status CopyQueue::StartOut(std::span<const BackgroundCopier::Copy> copies, Events* events) {
  for (const BackgroundCopier::Copy& copy : copies) {
    if (copy.to.empty()) continue;
    std::unique_ptr<DriverEvent>& done = events->emplace_back();
    RAMET_RETURN_IF_ERROR(queue_.StartCopyToHost(copy.to, GpuBuffer::BlockOf(copy.from), &done));
  }
  return OkStatus();
}

Status CopyQueue::StartIn(std::span<const Tensor> from, std::span<const Tensor> to,
                          Events* events) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].bytes() == 0) continue;
    const auto* const bytes = static_cast<const std::byte*>(from[i].raw_data());
    std::unique_ptr<DriverEvent>& done = events->emplace_back();
    RAMET_RETURN_IF_ERROR(
        queue_.CopyFromHost(GpuBuffer::BlockOf(to[i]), {bytes, from[i].bytes()}, &done));
  }
  return OkStatus();
}

// Waits also after an error: the caller frees the memory that the started copies use.
Status CopyQueue::Finish(const Status& started, const Events& events) {
  Status status = started;
  if (const Status flushed = queue_.Flush(); status.ok()) status = flushed;
  for (const std::unique_ptr<DriverEvent>& event : events) {
    if (event == nullptr) continue;
    if (const Status done = event->Wait(); status.ok()) status = done;
  }
  return status;
}

}  // namespace ramet::gpu
