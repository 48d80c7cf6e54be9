#pragma once

#include <cstdint>
#include <type_traits>

namespace ramet::linalg {

// How many threads the calling thread may use inside one function of linalg (oneDNN included):
// itself and threads - 1 of the process's pool (team.h). At least 1. Belongs to the calling thread;
// a new thread starts with the number of usable processors, or fewer if OpenMP is limited to fewer
// (OMP_NUM_THREADS, omp_set_num_threads). 1 within ParallelFor and within a parallel region of
// OpenMP.
void SetIntraOpThreads(int threads);
int IntraOpThreads();

// With `on`, functions of linalg that the calling thread runs give the same bits for any number of
// intra-op threads. Only Gemm and BatchGemm are affected: all others always do. Off at first.
void SetDeterministic(bool on);
bool Deterministic();

// How often the calling thread has had work done by a team of several threads.
int64_t TeamsStarted();

namespace parallel_internal {
using Body = void (*)(void* context, int64_t begin, int64_t end);
void Run(int64_t n, int64_t grain, Body body, void* context);
// Counts a team of several threads that is about to run (oneDNN's).
void NoteTeam();
// A region of oneDNN's, for `threads` threads that may wait for each other; 0 for MaxThreads().
void RunRegion(int threads, void (*function)(void* context, int member), void* context);
// IntraOpThreads(), but for a region of another OpenMP team.
int MaxThreads();
// The calling thread has one intra-op thread, oneDNN's functions too, as long as this lives.
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

// Calls fn(begin, end) for pieces that cover [0, n), on the calling thread's team; returns when all
// are done. Each piece has at least `grain` items (but the last); with n <= grain, one thread, or
// within another ParallelFor, fn runs once on the calling thread. Which pieces there are depends on
// the number of threads: fn must not let its result depend on it. fn must not throw. Allocates
// nothing.
template <class Fn>
void ParallelFor(int64_t n, int64_t grain, Fn&& fn) {
  using F = std::remove_reference_t<Fn>;
  parallel_internal::Run(
      n, grain, [](void* f, int64_t b, int64_t e) { (*static_cast<F*>(f))(b, e); },
      const_cast<std::remove_const_t<F>*>(&fn));
}

}  // namespace ramet::linalg
