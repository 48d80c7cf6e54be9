#include "ramet/replica/shm/pending_answers.h"

#include <utility>

#include "ramet/base/run_interrupt.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet::shm {

uint64_t PendingAnswers::Begin() {
  MutexLock lock(mutex_);
  questions_[++last_];
  return last_;
}

StatusOr<std::string> PendingAnswers::Wait(uint64_t number, Clock::time_point deadline) {
  MutexLock lock(mutex_);
  const auto question = questions_.find(number);
  WaitEnd end = WaitEnd::kWoken;
  while (!question->second.has_value() && !closed_) {
    end = WaitUnlessStopped(changed_, mutex_, deadline);
    if (end != WaitEnd::kWoken) break;
  }
  auto answer = std::move(question->second);
  questions_.erase(question);
  if (answer) return *std::move(answer);
  if (closed_) return Unavailable("the publisher is not there");
  if (end == WaitEnd::kStopped) return InterruptedStatus();
  return DeadlineExceeded("the publisher did not answer in time");
}

void PendingAnswers::Deliver(uint64_t number, StatusOr<std::string> answer) {
  MutexLock lock(mutex_);
  const auto question = questions_.find(number);
  if (question == questions_.end()) return;
  question->second = std::move(answer);
  changed_.NotifyAll();
}

void PendingAnswers::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

}  // namespace ramet::shm
