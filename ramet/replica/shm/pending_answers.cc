#include "ramet/replica/shm/pending_answers.h"

#include <utility>

namespace ramet::shm {

uint64_t PendingAnswers::Begin() {
  std::lock_guard lock(mutex_);
  questions_[++last_];
  return last_;
}

StatusOr<std::string> PendingAnswers::Wait(uint64_t number, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto question = questions_.find(number);
  const auto answered = [&] { return question->second.has_value() || closed_; };
  if (deadline == Clock::time_point::max()) {
    changed_.wait(lock, answered);
  } else {
    changed_.wait_until(lock, deadline, answered);
  }
  auto answer = std::move(question->second);
  questions_.erase(question);
  if (answer) return *std::move(answer);
  if (closed_) return Unavailable("the publisher is not there");
  return DeadlineExceeded("the publisher did not answer in time");
}

void PendingAnswers::Deliver(uint64_t number, StatusOr<std::string> answer) {
  std::lock_guard lock(mutex_);
  const auto question = questions_.find(number);
  if (question == questions_.end()) return;
  question->second = std::move(answer);
  changed_.notify_all();
}

void PendingAnswers::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace ramet::shm
