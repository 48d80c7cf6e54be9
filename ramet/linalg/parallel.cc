#include "ramet/linalg/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace ramet::linalg {
namespace {

std::atomic<bool> team_started = false;
std::atomic<bool> forked_from_team = false;

thread_local bool deterministic = false;

// oneDNN takes its number of threads from OpenMP, so a child that must not start a team is given
// one.
void AfterForkInChild() {
  if (!team_started.load(std::memory_order_relaxed)) return;
  forked_from_team.store(true, std::memory_order_relaxed);
#if defined(_OPENMP)
  omp_set_num_threads(1);
#endif
}

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, AfterForkInChild);

}  // namespace

#if defined(_OPENMP)

void SetIntraOpThreads(int threads) {
  if (!forked_from_team.load(std::memory_order_relaxed)) omp_set_num_threads(std::max(threads, 1));
}

int IntraOpThreads() {
  if (forked_from_team.load(std::memory_order_relaxed) || omp_in_parallel()) return 1;
  return omp_get_max_threads();
}

void parallel_internal::NoteTeam() {
  if (!team_started.load(std::memory_order_relaxed)) {
    team_started.store(true, std::memory_order_relaxed);
  }
}

void parallel_internal::Run(int64_t n, int64_t grain, Body body, void* context) {
  if (n <= 0) return;
  const int64_t most = (n + std::max<int64_t>(grain, 1) - 1) / std::max<int64_t>(grain, 1);
  const int64_t pieces = most <= 1 ? 1 : std::min<int64_t>(most, IntraOpThreads());
  if (pieces <= 1) return body(context, 0, n);
  NoteTeam();
  const int64_t step = (n + pieces - 1) / pieces;
  // The whole team, though some have nothing to do: libgomp ends the threads that a smaller team
  // leaves out, and starts them again later.
#pragma omp parallel
  {
    const int64_t begin = omp_get_thread_num() * step;
    if (begin < n) body(context, begin, std::min(begin + step, n));
  }
}

#else

void SetIntraOpThreads(int) {}
int IntraOpThreads() { return 1; }
void parallel_internal::NoteTeam() {}

void parallel_internal::Run(int64_t n, int64_t, Body body, void* context) {
  if (n > 0) body(context, 0, n);
}

#endif

void SetDeterministic(bool on) { deterministic = on; }
bool Deterministic() { return deterministic; }

Status CheckNotForked() {
  if (!forked_from_team.load(std::memory_order_relaxed)) return OkStatus();
  return FailedPrecondition(
      "this process was forked from one that had already run operations, whose threads do not live "
      "on "
      "here; fork before the first run, or start a new process (fork and exec)");
}

}  // namespace ramet::linalg
