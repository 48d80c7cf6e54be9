#include "ramet/linalg/team.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ramet/base/float_control.h"
#include "ramet/linalg/processors.h"

namespace ramet::linalg {
namespace {

// Runs fn(member) for each member of a team.
void RunMembers(int members, Members kind, std::function<void(int)> fn) {
  RunTeam(
      members, kind,
      [](void* f, int member) { (*static_cast<std::function<void(int)>*>(f))(member); }, &fn);
}

// Makes teams believe in its scope that the processors are busy or idle. Idle threads of the pool
// are asleep then.
class PretendedLoad {
 public:
  explicit PretendedLoad(bool busy) {
    processors_internal::Pretend(busy);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ~PretendedLoad() { processors_internal::Pretend(std::nullopt); }
  PretendedLoad(const PretendedLoad&) = delete;
  PretendedLoad& operator=(const PretendedLoad&) = delete;
};

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

TEST(Team, RunsEachMemberOnce) {
  for (const Members kind : {Members::kIndependent, Members::kMayWait}) {
    for (const int members : {0, 1, 2, 5, 64}) {
      std::vector<std::atomic<int>> runs(members);
      RunMembers(members, kind, [&](int member) {
        EXPECT_EQ(TeamMember(), member);
        EXPECT_EQ(TeamSize(), members);
        ++runs[member];
      });
      for (const auto& run : runs) EXPECT_EQ(run, 1);
    }
  }
  EXPECT_EQ(TeamMember(), 0);
  EXPECT_EQ(TeamSize(), 1);
  EXPECT_FALSE(InTeam());
}

// Returns whether RunMembers threw the exception of one of the members that throw.
bool Throws(int members, std::function<void(int)> fn) {
  try {
    RunMembers(members, Members::kIndependent, fn);
  } catch (const std::length_error&) {
    return true;
  }
  return false;
}

TEST(Team, AnExceptionReachesTheCallerAfterTheOtherMembers) {
  constexpr int kMembers = 16;
  for (int first = 0; first < kMembers; ++first) {
    std::vector<std::atomic<int>> runs(kMembers);
    EXPECT_TRUE(Throws(kMembers, [&](int member) {
      ++runs[member];
      if (member == first || member == kMembers - 1) throw std::length_error("too long");
    }));
    for (const auto& run : runs) EXPECT_EQ(run, 1);
    EXPECT_FALSE(InTeam());
  }
  std::atomic<int> caught = 0;
  RunMembers(4, Members::kIndependent, [&](int) {
    caught += Throws(2, [](int) { throw std::length_error("within a team"); });
    EXPECT_TRUE(InTeam());
  });
  EXPECT_EQ(caught, 4);
}

TEST(Team, MembersMayWaitForEachOtherWhateverTheirNumber) {
  const int members = static_cast<int>(std::thread::hardware_concurrency()) * 4 + 1;
  ASSERT_EQ(TeamLimit(members), members);
  std::atomic<int> arrived = 0;
  std::vector<int> seen(members);
  RunMembers(members, Members::kMayWait, [&](int member) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      TeamBarrier();
      if (arrived >= round * members) ++seen[member];
      TeamBarrier();
    }
  });
  EXPECT_EQ(seen, std::vector<int>(members, 20));
}

// Each caller's members need all threads of the only pool.
TEST(Team, SeveralCallersWhoseMembersWaitDoNotBlockEachOther) {
  ASSERT_EQ(TeamLimit(4), 4);
  std::atomic<int> passed = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        RunMembers(4, Members::kMayWait, [&](int) {
          TeamBarrier();
          ++passed;
          TeamBarrier();
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(passed, 6 * 50 * 4);
}

TEST(Team, NestedRunsOnTheCallingThread) {
  std::atomic<int> runs = 0;
  RunMembers(3, Members::kIndependent, [&](int member) {
    const std::thread::id outer = std::this_thread::get_id();
    RunMembers(2, Members::kIndependent, [&](int) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      EXPECT_TRUE(InTeam());
      ++runs;
    });
    EXPECT_EQ(TeamMember(), member);
    EXPECT_EQ(TeamSize(), 3);
  });
  EXPECT_EQ(runs, 6);
}

// OpenMP's threads would spin all this time.
TEST(Team, ThreadsWithoutWorkSleep) {
  constexpr int kMembers = 4;
  const PretendedLoad idle(false);
  const auto loop = [] { RunMembers(kMembers, Members::kMayWait, [](int) { TeamBarrier(); }); };
  loop();
  const double before = ProcessorSeconds();
  for (int i = 0; i < 25; ++i) {
    loop();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(ProcessorSeconds() - before, 0.1);
}

TEST(Team, MembersThatWaitSleep) {
  ASSERT_EQ(TeamLimit(3), 3);
  const PretendedLoad idle(false);
  const double before = ProcessorSeconds();
  RunMembers(3, Members::kMayWait, [](int member) {
    if (member == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    TeamBarrier();
  });
  RunMembers(3, Members::kMayWait, [](int member) {
    TeamBarrier();
    if (member != 0) std::this_thread::sleep_for(std::chrono::milliseconds(250));
  });
  EXPECT_LT(ProcessorSeconds() - before, 0.1);
}

TEST(Team, NoThreadSpinsWhileTheProcessorsAreBusy) {
  ASSERT_EQ(TeamLimit(3), 3);
  const PretendedLoad busy(true);
  const uint64_t before = team_internal::Spins();
  for (int i = 0; i < 50; ++i) RunMembers(3, Members::kMayWait, [](int) { TeamBarrier(); });
  EXPECT_EQ(team_internal::Spins(), before);
}

// A woken thread would have time to take a member.
TEST(Team, NoThreadIsWokenForALoopWhileTheProcessorsAreBusy) {
  ASSERT_EQ(TeamLimit(3), 3);
  const PretendedLoad busy(true);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> on_caller = 0;
  for (int i = 0; i < 3; ++i) {
    RunMembers(5, Members::kIndependent, [&](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      on_caller += std::this_thread::get_id() == caller;
    });
  }
  EXPECT_EQ(on_caller, 15);
}

TEST(Team, CallerDoesNotWaitForBusyThreads) {
  ASSERT_EQ(TeamLimit(2), 2);
  std::atomic<bool> begun = false, done = false;
  // Occupies all other threads of the pool.
  const int threads = 64;
  std::thread other([&] {
    RunMembers(threads, Members::kMayWait, [&](int) {
      begun = true;
      while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  while (!begun) std::this_thread::yield();
  std::atomic<int> runs = 0;
  RunMembers(2, Members::kIndependent, [&](int) { ++runs; });
  EXPECT_EQ(runs, 2);
  done = true;
  other.join();
}

TEST(Team, MembersComputeAsTheCallerDoes) {
  for (const bool flush : {false, true, false}) {
    const ScopedFloatControl scope(flush ? FloatControl() | kFlushDenormals
                                         : FloatControl() & ~kFlushDenormals);
    std::vector<float> results(3);
    volatile float tiny = std::numeric_limits<float>::min();
    RunMembers(3, Members::kMayWait, [&](int member) {
      TeamBarrier();  // each member has a thread of its own
      results[member] = tiny * 0.5f;
    });
    for (const float result : results) EXPECT_EQ(result == 0, flush);
  }
  volatile float tiny = std::numeric_limits<float>::min();
  EXPECT_NE(tiny * 0.5f, 0);
}

// The thread sanitizer does not support threads in a forked child.
#if defined(__SANITIZE_THREAD__)
#define RAMET_NO_THREADS_IN_CHILD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAMET_NO_THREADS_IN_CHILD 1
#endif
#endif

#if !defined(RAMET_NO_THREADS_IN_CHILD)
TEST(Team, ChildOfAForkHasItsOwn) {
  const auto meet = [] { RunMembers(3, Members::kMayWait, [](int) { TeamBarrier(); }); };
  ASSERT_EQ(TeamLimit(3), 3);
  meet();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    const bool has = TeamLimit(3) == 3;
    meet();
    _exit(has ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  meet();
}
#endif

}  // namespace
}  // namespace ramet::linalg
