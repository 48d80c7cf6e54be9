#include "interrupt.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

namespace ramet::python {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr int kTicksUntilSleep = 40;
// How long the end of the process waits for calls that do not react to cancellation.
constexpr std::chrono::seconds kEndPatience{1};

// Makes the main thread check for signals while it is in a call that takes longer than kTick.
// Python's handlers run only on the main thread, and short calls should not pay for the check. The
// first call starts the ticker's thread, which sleeps while there are no calls and is never joined.
class Ticker {
 public:
  // Called by the main thread.
  void Enter() {
    depth_.store(depth_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    changes_.fetch_add(1);
    if (asleep_.load()) Wake();
  }
  void Leave() {
    const int depth = depth_.load(std::memory_order_relaxed);
    depth_.store(std::max(depth - 1, 0), std::memory_order_relaxed);
    changes_.fetch_add(1, std::memory_order_relaxed);
  }
  // The calls of the forking thread, in a host function, do not count in the child.
  void ResetInChild() {
    depth_ = 0;
    started_ = false;
    asleep_ = true;
  }

 private:
  void Wake() {
    asleep_ = false;
    if (started_.exchange(true)) return asleep_.notify_one();
    // Block all signals: they must reach other threads, whose system calls then end with EINTR.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { Tick(); }).detach();
    } catch (const std::system_error&) {
      started_ = false;
      asleep_ = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void Tick() {
    for (int idle = 0;;) {
      const uint64_t before = changes_;
      std::this_thread::sleep_for(kTick);
      const uint64_t now = changes_;
      const bool in_call = depth_ > 0;
      if (in_call && now == before) RunInterrupt::Request();
      idle = in_call || now != before ? 0 : idle + 1;
      if (idle < kTicksUntilSleep) continue;
      asleep_ = true;
      if (changes_ == now) asleep_.wait(true);
      asleep_ = false;
      idle = 0;
    }
  }

  std::atomic<uint64_t> changes_ = 0;  // how often the main thread entered or left a call
  std::atomic<int> depth_ = 0;         // written only by the main thread
  std::atomic<bool> asleep_ = true;
  std::atomic<bool> started_ = false;
};

Ticker& TheTicker() {
  static auto* const ticker = new Ticker;
  return *ticker;
}

}  // namespace

// The calls of all threads except the main thread. The end of the process cancels them, because
// what they use is about to be destroyed.
class Calls {
 public:
  static Calls& OfOtherThreads() {
    static auto* calls = new Calls;
    return *calls;
  }

  void Add(Call* call) {
    const MutexLock lock(mutex_);
    call->forks_ = forks_;
    call->next_ = first_;
    call->previous_ = nullptr;
    if (first_ != nullptr) first_->previous_ = call;
    first_ = call;
    if (ended_) call->token().Cancel();
  }
  void Remove(Call* call) {
    const MutexLock lock(mutex_);
    if (call->forks_ != forks_) return;
    (call->previous_ ? call->previous_->next_ : first_) = call->next_;
    if (call->next_ != nullptr) call->next_->previous_ = call->previous_;
  }
  void End() {
    {
      const MutexLock lock(mutex_);
      ended_ = true;
      for (Call* call = first_; call != nullptr; call = call->next_) call->token().Cancel();
    }
    const auto end = std::chrono::steady_clock::now() + kEndPatience;
    while (!empty() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // The other threads do not exist in the child of a fork.
  void ResetInChild() RAMET_NO_THREAD_SAFETY_ANALYSIS {
    new (&mutex_) Mutex;
    first_ = nullptr;
    ++forks_;
  }

 private:
  bool empty() {
    const MutexLock lock(mutex_);
    return first_ == nullptr;
  }

  Mutex mutex_;
  Call* first_ RAMET_GUARDED_BY(mutex_) = nullptr;
  int forks_ RAMET_GUARDED_BY(mutex_) = 0;
  bool ended_ RAMET_GUARDED_BY(mutex_) = false;
};

void InitializeCalls() {
  TheTicker();
  Calls::OfOtherThreads();
  pthread_atfork(nullptr, nullptr, [] {
    TheTicker().ResetInChild();
    Calls::OfOtherThreads().ResetInChild();
  });
  Py_AtExit([] { Calls::OfOtherThreads().End(); });
}

Call::Call() : RunInterrupt(IsMainThread()) {
  if (waits()) {
    TheTicker().Enter();
  } else {
    Calls::OfOtherThreads().Add(this);
  }
  release_.emplace();
}

HeldCall::HeldCall() : RunInterrupt(IsMainThread()) {
  if (waits()) TheTicker().Enter();
}

HeldCall::~HeldCall() {
  if (waits()) TheTicker().Leave();
}

// Python has an interface to ask for a signal without running its handler only for SIGINT.
bool HeldCall::Due() {
  interrupted_ = waits() && PyGILState_Check() && PyOS_InterruptOccurred() != 0;
  return interrupted_;
}

void HeldCall::RunHandler() const {
  nb::module_ signal = nb::module_::import_("signal");
  nb::object handler = signal.attr("getsignal")(SIGINT);
  if (PyCallable_Check(handler.ptr())) handler(SIGINT, nb::none());
}

PythonSection::PythonSection()
    : call_(Call::Current() != nullptr && !Call::Current()->waits() ? Call::Current() : nullptr) {
  if (call_ != nullptr) Calls::OfOtherThreads().Remove(call_);
}

PythonSection::~PythonSection() {
  if (call_ != nullptr) Calls::OfOtherThreads().Add(call_);
}

Call::~Call() {
  TakeGil();
  Py_XDECREF(exception_);
}

Call* Call::Current() { return dynamic_cast<Call*>(RunInterrupt::Current()); }

void Call::TakeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Py_XSETREF(exception_, value);
  token().Cancel();
}

void Call::TakeGil() {
  if (!release_) return;
  if (waits()) {
    TheTicker().Leave();
  } else {
    Calls::OfOtherThreads().Remove(this);
  }
  release_.reset();
}

void Call::Finish() {
  TakeGil();
  if (exception_ == nullptr) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception_)), exception_);
  throw PythonError();
}

bool Call::Due() {
  // In a host function that holds the GIL, the interpreter handles signals.
  if (!waits() || !release_ || PyGILState_Check()) return false;
  release_.reset();
  if (PyErr_CheckSignals() < 0) TakeException();
  release_.emplace();
  return interrupted();
}

}  // namespace ramet::python
