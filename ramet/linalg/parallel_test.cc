#include "ramet/linalg/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/test_util.h"

extern "C" void GOMP_parallel(void (*body)(void*), void* context, unsigned threads, unsigned flags);

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

TEST(ParallelFor, NestedRunsOnTheCallingThread) {
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

TEST(IntraOpThreads, IsOneInAnotherLibrarysParallelRegion) {
  SetIntraOpThreads(2);
  const std::vector<float> x = Noise(1 << 17);
  const auto product = [&] {
    std::vector<float> y(256 * 256);
    Gemm<float>(false, false, 256, 256, 256, x.data(), x.data() + 65536, y.data());
    return y;
  };
  struct Context {
    std::function<std::vector<float>()> product;
    std::atomic<int> one = 0;
    std::atomic<int> same = 0;
    std::vector<float> expected;
  } context{product, 0, 0, {}};
  {
    const parallel_internal::OneThread one;
    context.expected = product();
  }
  GOMP_parallel(
      [](void* p) {
        auto* c = static_cast<Context*>(p);
        c->one += IntraOpThreads() == 1;
        c->same += c->product() == c->expected;
      },
      &context, 3, 0);
  EXPECT_EQ(context.one, 3);
  EXPECT_EQ(context.same, 3);
}

// OpenMP's own threads would spin all this time.
TEST(OneDnn, ThreadsWithoutWorkSleep) {
  SetIntraOpThreads(2);
  if (!HaveOneDnn() || IntraOpThreads() < 2) GTEST_SKIP() << "skipped: one thread or no oneDNN";
  const std::vector<float> x = Noise(1 << 17);
  std::vector<float> y(1 << 16);
  const auto work = [&] {
    Gemm<float>(false, false, 256, 256, 256, x.data(), x.data() + 65536, y.data());
  };
  const auto seconds = [] {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  work();
  double idle = 0;
  for (int i = 0; i < 25; ++i) {
    work();
    const double before = seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    idle += seconds() - before;
  }
  EXPECT_LT(idle, 0.05);
}

TEST(Deterministic, BelongsToTheCallingThread) {
  SetDeterministic(true);
  std::thread([] { EXPECT_FALSE(Deterministic()); }).join();
  EXPECT_TRUE(Deterministic());
  SetDeterministic(false);
}

// Returns the exit status of a forked child that runs `fn`; -1 if it hangs or is killed.
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

TEST(Fork, AfterParallelWorkTheChildHasItsOwnTeam) {
  SetIntraOpThreads(2);
  std::vector<float> x = Noise(1 << 20);
  const auto work = [&] {
    Unary(UnaryOp::kNeg, Type::kFloat, x.data(), x.data(), x.size());
    Gemm<float>(false, false, 256, 256, 256, x.data(), x.data() + 65536, x.data() + 131072);
    return std::vector<float>(x.begin() + 131072, x.begin() + 196608);
  };
  work();
  const std::vector<float> start = x;
  const std::vector<float> expected = work();
  x = start;
  EXPECT_EQ(InChild([&] { return work() == expected ? 0 : 1; }), 0);
  EXPECT_EQ(work(), expected);
}

}  // namespace
}  // namespace ramet::linalg
