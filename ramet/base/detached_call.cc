#include "ramet/base/detached_call.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

constexpr int kMaxDroppedCalls = 8;
constexpr auto kInterruptPollInterval = std::chrono::milliseconds(20);

std::atomic<int> dropped_calls = 0;

// A call that its caller and its thread share.
class DetachedCall {
 public:
  explicit DetachedCall(std::function<void()> work) : work_(std::move(work)) {}

  void Run() {
    std::exception_ptr error;
    try {
      work_();
    } catch (...) {
      error = std::current_exception();
    }
    MutexLock lock(mutex_);
    error_ = error;
    done_ = true;
    if (dropped_) dropped_calls.fetch_sub(1);
    changed_.NotifyAll();
  }

  // Returns false if the caller must stop first.
  bool Wait() {
    MutexLock lock(mutex_);
    while (!done_) {
      changed_.WaitFor(mutex_, kInterruptPollInterval);
      if (done_) break;
      mutex_.Unlock();
      const bool stop = StopDue();
      mutex_.Lock();
      if (stop && !done_) {
        dropped_ = true;
        dropped_calls.fetch_add(1);
        return false;
      }
    }
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  const std::function<void()> work_;
  Mutex mutex_;
  CondVar changed_;
  bool done_ RAMET_GUARDED_BY(mutex_) = false;
  bool dropped_ RAMET_GUARDED_BY(mutex_) = false;
  std::exception_ptr error_ RAMET_GUARDED_BY(mutex_);
};

// Returns false if no thread can be created.
bool StartThread(const std::shared_ptr<DetachedCall>& call) {
  try {
    std::thread([call] { call->Run(); }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

bool CallDetached(std::function<void()> work) {
  const auto call = std::make_shared<DetachedCall>(std::move(work));
  if (dropped_calls.load() >= kMaxDroppedCalls || !StartThread(call)) call->Run();
  return call->Wait();
}

}  // namespace ramet
