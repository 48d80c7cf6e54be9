#pragma once

#include <atomic>

#include "ramet/base/blocking_scope.h"
#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet {

// A StepGate separates runs that write variables from work that must happen between two steps of a
// session, such as reading all variables. A run started by a run of the same thread (from a host
// function) is part of that run. Thread-safe. Passing costs two atomic additions.
class StepGate {
 public:
  // Lets one run pass. Blocks while the gate is closed. A run that waits for other runs, for
  // example at a queue, is outside meanwhile.
  class Pass : private BlockingHook {
   public:
    explicit Pass(StepGate& gate);
    ~Pass() override;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // Reports whether this run is not nested in another run of this thread.
    bool outermost() const { return outermost_; }

   private:
    friend class StepGate;
    void BeforeWait() override {
      if (outermost_) gate_.Leave();
    }
    void AfterWait() override {
      if (outermost_) gate_.Enter();
    }

    StepGate& gate_;
    const Pass* const outer_;
    bool outermost_ = true;
  };

  // Closes the gate for its lifetime: new runs wait. The constructor waits for the runs inside.
  class Closing {
   public:
    explicit Closing(StepGate& gate) RAMET_NO_THREAD_SAFETY_ANALYSIS;
    ~Closing() RAMET_NO_THREAD_SAFETY_ANALYSIS;
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

   private:
    StepGate& gate_;
  };

  // Reports whether this thread is inside a run. Closing the gate would then deadlock.
  bool Within() const;

 private:
  static constexpr uint32_t kClosed = 1u << 31;
  void Enter();
  void Leave();

  std::atomic<uint32_t> state_ = 0;  // number of runs inside, and kClosed
  Mutex turn_;                       // held while the gate is closed
  Mutex mutex_;
  CondVar changed_;
};

}  // namespace ramet
