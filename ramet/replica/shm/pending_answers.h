#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "ramet/base/status.h"

namespace ramet::shm {

// Questions of a follower that wait for the publisher's answers. Thread-safe.
class PendingAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  // The number of a new question.
  uint64_t Begin();
  // Waits for its answer and forgets the question. \error kDeadlineExceeded; kUnavailable after
  // Close;
  //   what the publisher answered.
  StatusOr<std::string> Wait(uint64_t number, Clock::time_point deadline);
  // An answer has come. One to no question is passed over.
  void Deliver(uint64_t number, StatusOr<std::string> answer);
  // No more answers will come.
  void Close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, std::optional<StatusOr<std::string>>> questions_;
  uint64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace ramet::shm
