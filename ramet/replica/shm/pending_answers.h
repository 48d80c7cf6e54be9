#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet::shm {

// A follower's questions that wait for the publisher's answers. Thread-safe.
class PendingAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  // Registers a new question and returns its number.
  uint64_t Begin();
  // Waits for the answer and forgets the question.
  // \error kDeadlineExceeded: no answer came in time.
  // \error kUnavailable: Close was called.
  // \error as answered by the publisher.
  StatusOr<std::string> Wait(uint64_t number, Clock::time_point deadline);
  // Delivers an answer. Ignores answers to unknown questions.
  void Deliver(uint64_t number, StatusOr<std::string> answer);
  // Call this when there will be no more answers.
  void Close();

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<uint64_t, std::optional<StatusOr<std::string>>> questions_ RAMET_GUARDED_BY(mutex_);
  uint64_t last_ RAMET_GUARDED_BY(mutex_) = 0;
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet::shm
