#include "ramet/linalg/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

// The entry points of libgomp (its ABI, and what omp.h declares): the team that oneDNN has too,
// whichever compiler this is built with.
extern "C" {
void GOMP_parallel(void (*body)(void*), void* context, unsigned threads, unsigned flags);
void omp_set_num_threads(int threads);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
}

// The thread sanitizer does not see how libgomp's threads wait for each other.
#if defined(__SANITIZE_THREAD__)
#define RAMET_ONE_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAMET_ONE_THREAD 1
#endif
#endif

namespace ramet::linalg {
namespace {

#if defined(RAMET_ONE_THREAD)
constexpr bool kOneThread = true;
#else
constexpr bool kOneThread = false;
#endif

std::atomic<bool> team_started = false;
std::atomic<bool> forked_from_team = false;

thread_local bool deterministic = false;
thread_local int64_t teams = 0;

// oneDNN takes its number of threads from OpenMP, so a child that must not start a team is given
// one.
void AfterForkInChild() {
  if (!team_started.load(std::memory_order_relaxed)) return;
  forked_from_team.store(true, std::memory_order_relaxed);
  omp_set_num_threads(1);
}

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, AfterForkInChild);

struct Team {
  int64_t n;
  int64_t pieces;
  parallel_internal::Body body;
  void* context;

  static void Member(void* team_pointer) {
    const Team& team = *static_cast<const Team*>(team_pointer);
    const int64_t step = (team.n + team.pieces - 1) / team.pieces;
    // The team may have fewer threads than there are pieces (OMP_THREAD_LIMIT).
    for (int64_t i = omp_get_thread_num(); i < team.pieces; i += omp_get_num_threads()) {
      const int64_t begin = i * step;
      if (begin < team.n) team.body(team.context, begin, std::min(begin + step, team.n));
    }
  }
};

}  // namespace

void SetIntraOpThreads(int threads) {
  const bool one = kOneThread || forked_from_team.load(std::memory_order_relaxed);
  omp_set_num_threads(one ? 1 : std::max(threads, 1));
}

int IntraOpThreads() {
  if (kOneThread || forked_from_team.load(std::memory_order_relaxed) || omp_in_parallel()) return 1;
  return omp_get_max_threads();
}

int64_t TeamsStarted() { return teams; }

void parallel_internal::NoteTeam() {
  ++teams;
  if (!team_started.load(std::memory_order_relaxed)) {
    team_started.store(true, std::memory_order_relaxed);
  }
}

parallel_internal::OneThread::OneThread() : before_(omp_get_max_threads()) {
  if (before_ != 1) omp_set_num_threads(1);
}

parallel_internal::OneThread::~OneThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

void parallel_internal::Run(int64_t n, int64_t grain, Body body, void* context) {
  if (n <= 0) return;
  const int64_t most = (n + std::max<int64_t>(grain, 1) - 1) / std::max<int64_t>(grain, 1);
  const int64_t pieces = most <= 1 ? 1 : std::min<int64_t>(most, IntraOpThreads());
  if (pieces <= 1) return body(context, 0, n);
  NoteTeam();
  Team team{n, pieces, body, context};
  // The whole team (0), though some may have nothing to do: libgomp ends the threads that a smaller
  // team leaves out, and starts them again later.
  GOMP_parallel(Team::Member, &team, 0, 0);
}

void SetDeterministic(bool on) { deterministic = on; }
bool Deterministic() { return deterministic; }

Status CheckNotForked() {
  if (!forked_from_team.load(std::memory_order_relaxed)) return OkStatus();
  return FailedPrecondition(
      "this process was forked from one that had already run operations, and threads do not live "
      "on "
      "in a child; fork before the first run, or start a new process (fork and exec)");
}

}  // namespace ramet::linalg
