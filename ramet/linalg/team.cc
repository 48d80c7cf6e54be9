#include "ramet/linalg/team.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "ramet/base/float_control.h"
#include "ramet/linalg/futex.h"
#include "ramet/linalg/processors.h"
#include "ramet/linalg/signals.h"

namespace ramet::linalg {
namespace {

constexpr int64_t kSpinNanos = 50'000;

// One call of RunTeam, on its caller's stack.
struct Team {
  Team(int members, Members kind, TeamFunction function, void* context)
      : members(members),
        kind(kind),
        function(function),
        context(context),
        float_control(FloatControl()) {}

  // Keeps the exception being handled, unless there is one already.
  void KeepException() {
    // The others would wait forever at the next barrier for the member that threw.
    if (kind == Members::kMayWait) std::terminate();
    if (!has_thrown.exchange(true)) exception = std::current_exception();
  }
  // After all members are done.
  void Rethrow() {
    if (exception) std::rethrow_exception(std::move(exception));
  }

  const int members;
  const Members kind;
  const TeamFunction function;
  void* const context;
  const uint32_t float_control;  // members compute as the caller does
  Team* next = nullptr;          // the team posted after this one
  std::atomic<int> claimed = 1;
  // Threads of the pool that may still use this, plus kCallerSleeps while the caller waits for
  // them.
  std::atomic<uint32_t> attached = 0;
  struct {
    std::atomic<uint32_t> arrived = 0;  // members that wait
    std::atomic<uint32_t> passed = 0;   // barriers that all have passed
  } barrier;
  std::atomic<bool> has_thrown = false;
  std::exception_ptr exception;
};
constexpr uint32_t kCallerSleeps = 1u << 31;

struct Self {
  Team* team = nullptr;
  int member = 0;
  int size = 1;
  bool in_team = false;
};
thread_local Self self;

int64_t Nanos() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

std::atomic<uint64_t> spins = 0;

// Returns when `done()` is true or after kSpinNanos, and at once if the processors are busy.
template <class Done>
void SpinUntil(const Done& done) {
  if (done()) return;
  const int64_t begin = Nanos();
  if (ProcessorsAreBusy(begin)) return;
  spins.fetch_add(1, std::memory_order_relaxed);
  do {
    for (int i = 0; i < 16; ++i) {
      Pause();
      if (done()) return;
    }
  } while (Nanos() - begin < kSpinNanos);
}

void RunMember(Team& team, int member) {
  const Self before = std::exchange(self, {&team, member, team.members, true});
  try {
    team.function(team.context, member);
  } catch (...) {
    team.KeepException();
  }
  self = before;
}

void RunHere(Team& team) {
  for (int i = 0; i < team.members; ++i) RunMember(team, i);
  team.Rethrow();
}

void RunUnclaimed(Team& team) {
  for (int i; (i = team.claimed.fetch_add(1, std::memory_order_relaxed)) < team.members;) {
    RunMember(team, i);
  }
}

void AwaitAttached(Team& team) {
  std::atomic<uint32_t>& attached = team.attached;
  SpinUntil([&] { return attached.load(std::memory_order_acquire) == 0; });
  uint32_t seen = attached.load(std::memory_order_acquire);
  while ((seen & ~kCallerSleeps) != 0) {
    if ((seen & kCallerSleeps) != 0 ||
        attached.compare_exchange_weak(seen, seen | kCallerSleeps, std::memory_order_acq_rel)) {
      FutexWait(attached, seen | kCallerSleeps);
      seen = attached.load(std::memory_order_acquire);
    }
  }
}

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

// The threads, and the teams that they may join, oldest first. A free thread joins the oldest team
// with an unclaimed member. If the pool has enough threads, the oldest team therefore gets a thread
// for each member, whatever the other teams wait for. That is why members may wait for each other.
class Pool {
 public:
  void Run(Team& team, bool wake) {
    const int to_wake = Post(team, wake);
    if (to_wake > 0) FutexWake(&posts_, to_wake);
    RunMember(team, 0);
    RunUnclaimed(team);
    Withdraw(team);
    AwaitAttached(team);
    team.Rethrow();
  }

  // Starts threads until there are `wanted`. Returns how many there are.
  int Grow(int wanted) {
    int threads = threads_.load(std::memory_order_relaxed);
    if (threads >= wanted) return threads;
    const Lock lock(mutex_);
    for (threads = threads_; threads < wanted && Start(); ++threads) {
      threads_.store(threads + 1, std::memory_order_relaxed);
    }
    return threads;
  }

  bool HasSpinning() const { return spinning_.load(std::memory_order_relaxed) > 0; }

 private:
  // Returns how many threads to wake.
  int Post(Team& team, bool wake) {
    const Lock lock(mutex_);
    Team** last = &teams_;
    while (*last != nullptr) last = &(*last)->next;
    *last = &team;
    posts_.fetch_add(1, std::memory_order_release);
    if (!wake) return 0;
    int unclaimed = 0;
    for (const Team* t = teams_; t != nullptr; t = t->next) {
      unclaimed += std::max(0, t->members - t->claimed.load(std::memory_order_relaxed));
    }
    const int coming = spinning_.load(std::memory_order_relaxed) + waking_;
    const int to_wake = std::clamp(unclaimed - coming, 0, sleeping_);
    sleeping_ -= to_wake;
    waking_ += to_wake;
    return to_wake;
  }

  void Withdraw(Team& team) {
    const Lock lock(mutex_);
    Team** at = &teams_;
    while (*at != &team) at = &(*at)->next;
    *at = team.next;
  }

  bool Start() {
    sigset_t blocked = AsynchronousSignals(), before;
    sigdelset(&blocked, SIGPROF);  // profilers send it to the running thread
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    const int error = pthread_create(&thread, nullptr, Main, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) return false;
    pthread_setname_np(thread, "ramet pool");
    pthread_detach(thread);
    return true;
  }

  static void* Main(void* pool) {
    static_cast<Pool*>(pool)->Work();
    return nullptr;
  }

  [[noreturn]] void Work() {
    while (true) {
      Team& team = Next();
      {
        const ScopedFloatControl scope(team.float_control);
        RunUnclaimed(team);
      }
      std::atomic<uint32_t>* attached = &team.attached;
      // The team may be destroyed after this.
      if (attached->fetch_sub(1, std::memory_order_acq_rel) == (kCallerSleeps | 1)) {
        FutexWake(attached, 1);
      }
    }
  }

  // Waits for a team to join.
  Team& Next() {
    while (true) {
      uint32_t seen;
      {
        const Lock lock(mutex_);
        if (Team* team = Join()) return *team;
        seen = posts_.load(std::memory_order_relaxed);
        spinning_.fetch_add(1, std::memory_order_relaxed);
      }
      SpinUntil([&] { return posts_.load(std::memory_order_acquire) != seen; });
      {
        const Lock lock(mutex_);
        spinning_.fetch_sub(1, std::memory_order_relaxed);
        if (Team* team = Join()) return *team;
        seen = posts_.load(std::memory_order_relaxed);
        ++sleeping_;
      }
      FutexWait(posts_, seen);
      const Lock lock(mutex_);
      // These are counts, not threads: a thread that wakes spuriously takes another's place.
      --(waking_ > 0 ? waking_ : sleeping_);
    }
  }

  Team* Join() {
    for (Team* team = teams_; team != nullptr; team = team->next) {
      if (team->claimed.load(std::memory_order_relaxed) >= team->members) continue;
      team->attached.fetch_add(1, std::memory_order_relaxed);
      return team;
    }
    return nullptr;
  }

  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  Team* teams_ = nullptr;
  std::atomic<int> threads_ = 0;
  // Threads without a team: spinning, asleep, or woken but not running yet.
  std::atomic<int> spinning_ = 0;
  int sleeping_ = 0;
  int waking_ = 0;
  std::atomic<uint32_t> posts_ = 0;
};

// Never destroyed, because threads sleep in it when the process ends.
alignas(Pool) char pool_memory[sizeof(Pool)];

Pool& ThePool() {
  static Pool* const pool = [] {
    // Threads run this library's code, so it must stay loaded.
    Dl_info info;
    if (dladdr(pool_memory, &info) != 0)
      dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    // The child of a fork has none of the threads, and the lock may be held.
    pthread_atfork(nullptr, nullptr, [] { new (pool_memory) Pool; });
    return new (pool_memory) Pool;
  }();
  return *pool;
}

}  // namespace

uint64_t team_internal::Spins() { return spins.load(std::memory_order_relaxed); }

int TeamMember() { return self.member; }
int TeamSize() { return self.size; }
bool InTeam() { return self.in_team; }

int TeamLimit(int wanted) {
  return wanted <= 1 ? 1 : std::min(wanted, 1 + ThePool().Grow(wanted - 1));
}

void RunTeam(int members, Members kind, TeamFunction function, void* context) {
  if (members <= 0) return;
  if (members == 1 && !InTeam()) return function(context, 0);
  Team team(members, kind, function, context);
  if (InTeam()) return RunHere(team);
  Pool& pool = ThePool();
  const bool wake = kind == Members::kMayWait || !ProcessorsAreBusy(Nanos());
  if (TeamLimit(members) < members && kind == Members::kMayWait) {
    std::fprintf(stderr, "ramet: cannot start %d threads\n", members - 1);
    std::abort();
  }
  if (!wake && !pool.HasSpinning()) return RunHere(team);
  pool.Run(team, wake);
}

void TeamBarrier() {
  if (self.team == nullptr) return;
  Team& team = *self.team;
  const uint32_t passed = team.barrier.passed.load(std::memory_order_acquire);
  if (team.barrier.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<uint32_t>(team.members)) {
    team.barrier.arrived.store(0, std::memory_order_relaxed);
    team.barrier.passed.fetch_add(1, std::memory_order_acq_rel);
    return FutexWake(&team.barrier.passed, INT_MAX);
  }
  const auto is_passed = [&] {
    return team.barrier.passed.load(std::memory_order_acquire) != passed;
  };
  SpinUntil(is_passed);
  while (!is_passed()) FutexWait(team.barrier.passed, passed);
}

}  // namespace ramet::linalg
