#include "ramet/replica/redis/send_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ramet/base/run_interrupt.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet::redis {

Status SendRoom::Check(std::span<const Tensor> values) const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool same = i < newest_.size() && newest_[i].buffer().get() == values[i].buffer().get();
    if (!same || retained_ == 1) bytes += values[i].bytes();
  }
  if (limits_.other_bytes + bytes <= limits_.max_bytes) return OkStatus();
  return ResourceExhausted(where_, ": the limit is ", limits_.max_bytes, " bytes ",
                           "(RetentionOptions::max_bytes); the kept versions take ",
                           limits_.other_bytes, ", and this one needs ", bytes, " more");
}

void SendRoom::SetNewest(const std::vector<Tensor>& values, std::vector<Tensor>* garbage) {
  std::ranges::move(newest_, std::back_inserter(*garbage));
  newest_ = values;
}

void SendQueue::Begin(const Publication& publication) {
  MutexLock lock(mutex_);
  sender_.linked = true;
  room_.SetLimits(publication.limits());
  stats_ = publication.stats();
}

StatusOr<uint64_t> SendQueue::Push(const VersionInfo& info, std::span<const Tensor> values,
                                   std::span<const Tensor> sources) {
  std::vector<Tensor> surplus;
  MutexLock lock(mutex_);
  if (at_limit_ == RetentionOptions::AtLimit::kWait) {
    while ((queued_ || sender_.sending) && sender_.linked && !sender_.closing) {
      if (WaitUnlessStopped(changed_, mutex_) == WaitEnd::kStopped) return InterruptedStatus();
    }
  }
  RAMET_RETURN_IF_ERROR(sender_.failure);
  if (const Status room = room_.Check(values); !room.ok()) {
    ++stats_.skipped;
    return room;
  }
  std::vector<Tensor>& garbage = garbage_.empty() ? garbage_ : surplus;
  if (queued_) {
    ++stats_.skipped;
    std::ranges::move(queued_->values, std::back_inserter(garbage));
    std::ranges::move(queued_->sources, std::back_inserter(garbage));
  }
  queued_.emplace();
  queued_->info = info;
  queued_->info.id.epoch = stats_.epoch;
  queued_->info.id.version = ++last_number_;
  queued_->values.assign(values.begin(), values.end());
  queued_->sources.assign(sources.begin(), sources.end());
  room_.SetNewest(queued_->values, &garbage);
  wake_.Set();
  return last_number_;
}

uint64_t SendQueue::last_number() const {
  MutexLock lock(mutex_);
  return last_number_;
}

uint64_t SendQueue::NextNumber() {
  MutexLock lock(mutex_);
  return ++last_number_;
}

PublisherStats SendQueue::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

void SendQueue::Close(std::chrono::seconds time) {
  const auto deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  sender_.closing = true;
  wake_.Set();
  changed_.NotifyAll();
  while (!sender_.finished) {
    if (WaitUnlessStopped(changed_, mutex_, deadline) != WaitEnd::kWoken) return;
  }
}

std::optional<Outgoing> SendQueue::Take() {
  MutexLock lock(mutex_);
  std::optional<Outgoing> outgoing;
  if (!queued_) return outgoing;
  outgoing.swap(queued_);
  sender_.sending = true;
  return outgoing;
}

void SendQueue::NoteSent(std::optional<Outgoing> outgoing, const Status& status, bool again) {
  MutexLock lock(mutex_);
  sender_.sending = false;
  if (again && !queued_) {
    queued_ = std::move(outgoing);
  } else if (!status.ok()) {
    ++stats_.skipped;
  }
  changed_.NotifyAll();
}

uint64_t SendQueue::unsent() const {
  MutexLock lock(mutex_);
  return queued_ ? queued_->info.id.version : 0;
}

void SendQueue::Update(const Publication& publication) {
  PublisherStats stats = publication.stats();
  const SendLimits limits = publication.limits();
  std::vector<Tensor> garbage;
  MutexLock lock(mutex_);
  stats.skipped = stats_.skipped;
  stats_ = std::move(stats);
  room_.SetLimits(limits);
  garbage.swap(garbage_);
}

void SendQueue::SetLinked(bool linked) {
  MutexLock lock(mutex_);
  sender_.linked = linked;
  changed_.NotifyAll();
}

void SendQueue::Fail(const Status& why) {
  MutexLock lock(mutex_);
  sender_.failure = why;
  changed_.NotifyAll();
}

Status SendQueue::failure() const {
  MutexLock lock(mutex_);
  return sender_.failure;
}

bool SendQueue::closing() const {
  MutexLock lock(mutex_);
  return sender_.closing;
}

void SendQueue::WaitForClose(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!sender_.closing && changed_.WaitUntil(mutex_, deadline)) continue;
}

void SendQueue::Finish() {
  MutexLock lock(mutex_);
  sender_.finished = true;
  changed_.NotifyAll();
}

}  // namespace ramet::redis
