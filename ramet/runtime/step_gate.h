#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "ramet/base/status.h"

namespace ramet {

// A StepGate keeps what must lie between two steps of a session, such as taking the values of all
// variables, out of the runs that write variables: they pass through it. A run that a run of the
// same thread starts (from a host function) belongs to that one. Thread-safe; passing costs two
// atomic additions.
class StepGate {
 public:
  // One run's way through: waits while somebody is between steps.
  class Pass {
   public:
    explicit Pass(StepGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // Whether no other run of this thread is around it.
    bool outermost() const { return outermost_; }

   private:
    friend class StepGate;
    StepGate& gate_;
    const Pass* const outer_;
    bool outermost_ = true;
  };

  // Holds runs off for as long as it lives: those inside have left, new ones wait.
  class Closing {
   public:
    explicit Closing(StepGate& gate);
    ~Closing();
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

   private:
    StepGate& gate_;
    std::lock_guard<std::mutex> turn_;
  };

  // Whether this thread is within a run, which could never leave a gate that waits for it.
  bool Within() const;

 private:
  static constexpr uint32_t kClosed = 1u << 31;
  void Enter();
  void Leave();

  std::atomic<uint32_t> state_ = 0;  // how many are inside, and kClosed
  std::mutex turn_;                  // of those who close it
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace ramet
