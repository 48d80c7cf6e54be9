#include "ramet/replica/publish_schedule.h"

#include "ramet/base/log.h"

namespace ramet {

Status PublishSchedule::Check() const {
  if (every_steps_ >= 0 && every_seconds_ >= 0) return OkStatus();
  return InvalidArgument("every_steps and every_seconds must not be negative");
}

bool PublishSchedule::IsDue() {
  MutexLock lock(mutex_);
  ++runs_;
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - last_;
  const bool by_steps = every_steps_ > 0 && runs_ >= every_steps_;
  const bool by_time = every_seconds_ > 0 && passed.count() >= every_seconds_;
  if (!by_steps && !by_time) return false;
  runs_ = 0;
  last_ = now;
  return true;
}

void PublishSchedule::NoteResult(const Status& status) {
  if (status.ok() || IsResourceExhausted(status)) return;
  MutexLock lock(mutex_);
  if (!has_warned_) LogWarning(where_, ": not published: ", status.message());
  has_warned_ = true;
}

}  // namespace ramet
