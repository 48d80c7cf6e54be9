#include "ramet/linalg/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

TEST(ParallelFor, CoversEachItemOnce) {
  for (const int threads : {1, 2, 3, 4}) {
    SetIntraOpThreads(threads);
    for (const int64_t n : {0, 1, 7, 1000}) {
      for (const int64_t grain : {0, 1, 10, 5000}) {
        std::vector<int> hits(n);
        ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++hits[i];
        });
        EXPECT_EQ(hits, std::vector<int>(n, 1));
      }
    }
  }
  SetIntraOpThreads(2);
}

TEST(ParallelFor, SmallWorkStaysOnTheCallingThread) {
  const std::thread::id self = std::this_thread::get_id();
  int calls = 0;
  ParallelFor(10, 10, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, NestedRunsWhereItIs) {
  std::atomic<int> count = 0;
  ParallelFor(4, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::thread::id outer = std::this_thread::get_id();
      ParallelFor(100, 1, [&](int64_t b, int64_t e) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        count += static_cast<int>(e - b);
      });
    }
  });
  EXPECT_EQ(count, 400);
}

TEST(IntraOpThreads, BelongToTheCallingThread) {
  SetIntraOpThreads(1);
  std::thread([] { SetIntraOpThreads(2); }).join();
  EXPECT_EQ(IntraOpThreads(), 1);
  SetIntraOpThreads(0);
  EXPECT_EQ(IntraOpThreads(), 1);
}

TEST(Deterministic, BelongsToTheCallingThread) {
  SetDeterministic(true);
  std::thread([] { EXPECT_FALSE(Deterministic()); }).join();
  EXPECT_TRUE(Deterministic());
  SetDeterministic(false);
}

// Exit status of a forked child that runs `fn`; -1 when it hangs or is killed.
template <class Fn>
int InChild(const Fn& fn) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(fn());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, AfterParallelWorkIsReportedAndDoesNotHang) {
  SetIntraOpThreads(2);
  if (IntraOpThreads() < 2) GTEST_SKIP() << "skipped: built without OpenMP";
  std::vector<float> x = Noise(1 << 20);
  Unary(UnaryOp::kNeg, Type::kFloat, x.data(), x.data(), x.size());
  Gemm<float>(false, false, 256, 256, 256, x.data(), x.data() + 65536, x.data() + 131072);
  EXPECT_TRUE(CheckNotForked().ok());
  EXPECT_EQ(InChild([&] {
              if (!IsFailedPrecondition(CheckNotForked())) return 1;
              Unary(UnaryOp::kNeg, Type::kFloat, x.data(), x.data(), x.size());
              Gemm<float>(false, false, 256, 256, 256, x.data(), x.data() + 65536,
                          x.data() + 131072);
              return 0;
            }),
            0);
  EXPECT_TRUE(CheckNotForked().ok());
}

}  // namespace
}  // namespace ramet::linalg
