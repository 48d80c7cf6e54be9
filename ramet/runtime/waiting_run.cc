#include "ramet/runtime/waiting_run.h"

#include <system_error>

#include "ramet/base/blocking_scope.h"
#include "ramet/base/exception.h"
#include "ramet/base/float_control.h"
#include "ramet/base/run_interrupt.h"

namespace ramet {

// Starts a helper when its thread is about to wait.
class WaitingRun::Hook final : public BlockingHook {
 public:
  explicit Hook(WaitingRun& run) : run_(run) {}

 protected:
  void BeforeWait() override { run_.BeforeWait(); }
  void AfterWait() override {}

 private:
  WaitingRun& run_;
};

// Ends the waits of its thread when a step has failed, or when the caller's own interrupt is due.
class WaitingRun::Stop final : public RunInterrupt {
 public:
  Stop(const FirstError& error, RunInterrupt* outer)
      : RunInterrupt(/*waits=*/true), error_(error), outer_(outer) {}

 protected:
  bool Due() override {
    if (outer_ != nullptr) outer_->Ask();
    return error_.is_set() || (outer_ != nullptr && outer_->token().cancelled());
  }

 private:
  const FirstError& error_;
  RunInterrupt* const outer_;
};

WaitingRun::WaitingRun(ActiveRun& run, StepInvoker& invoker) : run_(run), invoker_(invoker) {
  const StepPrecedence& precedence = run.plan().precedence;
  MutexLock lock(mutex_);
  num_before_ = precedence.num_before;
  num_readers_ = precedence.num_readers;
  num_unfinished_ = num_before_.size();
  for (size_t i = 0; i < num_before_.size(); ++i) {
    if (num_before_[i] == 0) ready_.insert(static_cast<int32_t>(i));
  }
}

Status WaitingRun::Run() {
  Work(/*is_helper=*/false);
  while (true) {
    std::list<std::thread> helpers;
    {
      MutexLock lock(mutex_);
      helpers.swap(helpers_);
    }
    if (helpers.empty()) break;
    for (std::thread& helper : helpers) helper.join();
  }
  return error_.is_set() ? error_.status() : OkStatus();
}

void WaitingRun::Work(bool is_helper) {
  Stop stop(error_, is_helper ? nullptr : RunInterrupt::Current());
  const CancellationScope scope(run_.context().state.cancellation);
  Hook hook(*this);
  StepScratch scratch(run_.plan().traits.max_inputs);
  for (int32_t i = Next(is_helper); i >= 0; i = Next(is_helper)) {
    const Step& step = run_.plan().steps[i];
    Finish(i, Guarded([&] { return invoker_.Invoke(step, scratch); }));
  }
}

int32_t WaitingRun::Next(bool is_helper) {
  MutexLock lock(mutex_);
  while (ready_.empty() && !ended() && !is_helper) changed_.Wait(mutex_);
  if (ready_.empty() || ended()) return -1;
  const int32_t next = *ready_.begin();
  ready_.erase(ready_.begin());
  return next;
}

void WaitingRun::Finish(int32_t step, const Status& status) {
  if (!status.ok()) {
    error_.Set(status);
    RunInterrupt::Request();
  }
  MutexLock lock(mutex_);
  Release(run_.plan().steps[step]);
  --num_unfinished_;
  for (int32_t next : run_.plan().precedence.after[step]) {
    if (--num_before_[next] == 0) ready_.insert(next);
  }
  changed_.NotifyAll();
}

void WaitingRun::Release(const Step& step) {
  const Plan& plan = run_.plan();
  for (const StepInput& input : plan.inputs_of(step)) {
    int32_t& readers = num_readers_[input.slot];
    if (readers > 0 && --readers == 0) run_.value(input.slot) = Value();
  }
  for (int i = 0; i < step.releases.size; ++i) {
    const int32_t slot = plan.release_slots[step.releases.first + i];
    if (plan.precedence.num_readers[slot] == 0) run_.value(slot) = Value();
  }
}

void WaitingRun::BeforeWait() {
  MutexLock lock(mutex_);
  if (ready_.empty() || ended()) return;
  try {
    helpers_.emplace_back([this] {
      run_.PrepareThread();
      const ScopedFlushDenormals flush;
      Work(/*is_helper=*/true);
    });
  } catch (const std::system_error&) {
    // Without a thread, the steps that are ready run after the wait.
  }
}

}  // namespace ramet
