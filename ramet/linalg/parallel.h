#pragma once

#include <cstdint>
#include <type_traits>

namespace ramet::linalg {

// Set and return the number of threads that the calling thread may use within one function of
// linalg, including oneDNN: itself and threads - 1 of the process's pool (team.h). At least 1. Each
// thread has its own setting, which starts as the number of usable processors, or OpenMP's limit if
// that is lower (OMP_NUM_THREADS, omp_set_num_threads). Always 1 within ParallelFor and OpenMP's
// parallel regions.
void SetIntraOpThreads(int threads);
int IntraOpThreads();

// With `on`, functions of linalg called by this thread give the same bits for any number of
// intra-op threads. Only affects Gemm, BatchGemm and Conv; the others always do. Initially off.
void SetDeterministic(bool on);
bool Deterministic();

// Returns how often the calling thread has had work done by a team of several threads.
int64_t TeamsStarted();

namespace parallel_internal {
using Body = void (*)(void* context, int64_t begin, int64_t end);
void Run(int64_t n, int64_t grain, Body body, void* context);
// Counts a team of several threads that is about to run (for oneDNN).
void NoteTeam();
// Runs a region of oneDNN on `threads` threads that may wait for each other; 0 means MaxThreads().
void RunRegion(int threads, void (*function)(void* context, int member), void* context);
// Returns IntraOpThreads(), for a region of another OpenMP team.
int MaxThreads();
// Limits the calling thread, including oneDNN, to one intra-op thread during its lifetime.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};
}  // namespace parallel_internal

// Calls fn(begin, end) for pieces that cover [0, n) on the calling thread's team, and returns when
// all are done. Each piece but the last has at least `grain` items. With n <= grain, one thread, or
// within another ParallelFor, calls fn once on the calling thread. The pieces depend on the number
// of threads; the result of fn must not depend on the pieces. If fn throws, the first exception is
// rethrown after all pieces. Allocates nothing.
template <class Fn>
void ParallelFor(int64_t n, int64_t grain, Fn&& fn) {
  using F = std::remove_reference_t<Fn>;
  parallel_internal::Run(
      n, grain, [](void* f, int64_t b, int64_t e) { (*static_cast<F*>(f))(b, e); },
      const_cast<std::remove_const_t<F>*>(&fn));
}

}  // namespace ramet::linalg
