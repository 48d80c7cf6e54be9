#include "ramet/backends/gpu/runs_ahead.h"

#include <utility>

namespace ramet::gpu {

Status RunsAhead::End() {
  RAMET_ASSIGN_OR_RETURN(auto end, queue_.Record());
  RAMET_RETURN_IF_ERROR(queue_.Flush());
  const std::unique_ptr<DriverEvent> awaited = Note(std::move(end));
  return awaited != nullptr ? awaited->Wait() : OkStatus();
}

std::unique_ptr<DriverEvent> RunsAhead::Note(std::unique_ptr<DriverEvent> end) {
  MutexLock lock(mutex_);
  ends_.push_back(std::move(end));
  if (ends_.size() <= kMaxRuns) return nullptr;
  auto first = std::move(ends_.front());
  ends_.pop_front();
  return first;
}

}  // namespace ramet::gpu
