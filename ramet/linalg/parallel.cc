#include "ramet/linalg/parallel.h"

#include <algorithm>
#include <utility>

#include "ramet/linalg/processors.h"
#include "ramet/linalg/team.h"

extern "C" {
int omp_get_max_threads(void);
int omp_in_parallel(void);
}

// oneDNN's threads synchronize in ways that the thread sanitizer does not see.
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

thread_local int intra_op_threads = 0;  // 0: not set
thread_local bool deterministic = false;
thread_local int64_t teams = 0;

int Threads() {
  if (kOneThread) return 1;
  if (intra_op_threads > 0) return intra_op_threads;
  return std::clamp(omp_get_max_threads(), 1, UsableProcessors());
}

struct Loop {
  int64_t n;
  int64_t step;
  parallel_internal::Body body;
  void* context;

  static void Piece(void* pointer, int piece) {
    const Loop& loop = *static_cast<const Loop*>(pointer);
    const int64_t begin = piece * loop.step;
    if (begin < loop.n) loop.body(loop.context, begin, std::min(begin + loop.step, loop.n));
  }
};

}  // namespace

void SetIntraOpThreads(int threads) { intra_op_threads = std::max(threads, 1); }

int IntraOpThreads() { return omp_in_parallel() ? 1 : parallel_internal::MaxThreads(); }

int64_t TeamsStarted() { return teams; }

void parallel_internal::NoteTeam() { ++teams; }

int parallel_internal::MaxThreads() { return InTeam() ? 1 : TeamLimit(Threads()); }

parallel_internal::OneThread::OneThread() : before_(std::exchange(intra_op_threads, 1)) {}

parallel_internal::OneThread::~OneThread() { intra_op_threads = before_; }

void parallel_internal::RunRegion(int threads, void (*function)(void*, int), void* context) {
  if (InTeam() || omp_in_parallel()) return RunTeam(1, Members::kMayWait, function, context);
  RunTeam(threads > 0 ? threads : MaxThreads(), Members::kMayWait, function, context);
}

void parallel_internal::Run(int64_t n, int64_t grain, Body body, void* context) {
  if (n <= 0) return;
  const int64_t most = (n + std::max<int64_t>(grain, 1) - 1) / std::max<int64_t>(grain, 1);
  const int64_t pieces = most <= 1 ? 1 : std::min<int64_t>(most, IntraOpThreads());
  if (pieces <= 1) return body(context, 0, n);
  NoteTeam();
  Loop loop{n, (n + pieces - 1) / pieces, body, context};
  RunTeam(static_cast<int>(pieces), Members::kIndependent, Loop::Piece, &loop);
}

void SetDeterministic(bool on) { deterministic = on; }
bool Deterministic() { return deterministic; }

}  // namespace ramet::linalg
