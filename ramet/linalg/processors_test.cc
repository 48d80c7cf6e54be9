#include "ramet/linalg/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace ramet::linalg {
namespace {

using processors_internal::QuotaOfGroup;
using processors_internal::RunnableThreads;

void Write(const std::filesystem::path& path, const char* text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class QuotaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "ramet_quota_test";
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string root_;
};

TEST_F(QuotaTest, NoFilesNoLimit) { EXPECT_EQ(QuotaOfGroup(root_, "/a/b"), 0); }

TEST_F(QuotaTest, TheSmallestQuotaOfAllParentsCounts) {
  Write(root_ + "/cpu.max", "max 100000\n");
  Write(root_ + "/a/cpu.max", "250000 100000\n");
  Write(root_ + "/a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(QuotaOfGroup(root_, "/"), 0);
  EXPECT_EQ(QuotaOfGroup(root_, "/a"), 3);
  EXPECT_EQ(QuotaOfGroup(root_, "/a/b"), 3);
}

TEST_F(QuotaTest, PartOfAProcessorIsOne) {
  Write(root_ + "/cpu.max", "5000 100000\n");
  EXPECT_EQ(QuotaOfGroup(root_, "/"), 1);
}

TEST_F(QuotaTest, VersionOne) {
  Write(root_ + "/cpu.cfs_quota_us", "-1\n");
  Write(root_ + "/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(QuotaOfGroup(root_, "/"), 0);
  Write(root_ + "/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(QuotaOfGroup(root_, "/"), 2);
}

TEST(RunnableThreads, AreCountedBeforeTheSlash) {
  EXPECT_EQ(RunnableThreads("24.02 23.74 19.63 13/412 9822\n"), 13);
  EXPECT_EQ(RunnableThreads("1/2"), 1);
  EXPECT_EQ(RunnableThreads(""), 0);
  EXPECT_EQ(RunnableThreads("/"), 0);
}

TEST(UsableProcessors, RespectTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  EXPECT_GE(UsableProcessors(), 1);
  EXPECT_LE(UsableProcessors(), CPU_COUNT(&before));
  std::thread([&] {
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(UsableProcessors(), 1);
  }).join();
}

// Keeps more processes runnable than there are processors.
class Competitors {
 public:
  Competitors() {
    const int64_t processes = sysconf(_SC_NPROCESSORS_ONLN) + 3;
    for (int64_t i = 0; i < processes; ++i) {
      children_.push_back(fork());
      if (children_.back() == 0) Compete();
    }
  }
  ~Competitors() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  Competitors(const Competitors&) = delete;
  Competitors& operator=(const Competitors&) = delete;

 private:
  [[noreturn]] static void Compete() {
    alarm(60);
    if (nice(19) < 0) _exit(1);
    for (volatile bool forever = true; forever;) {
    }
    _exit(0);
  }

  std::vector<pid_t> children_;
};

bool AreBusyNow() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return ProcessorsAreBusy(std::chrono::nanoseconds(now).count());
}

// Sleeps between the looks, so that this process is not preempted itself.
TEST(ProcessorsAreBusy, WhenOtherProcessesWantMoreThanThereAre) {
  if (!std::filesystem::exists("/proc/loadavg")) GTEST_SKIP() << "skipped: no /proc/loadavg";
  const Competitors competitors;
  int busy = 0;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    busy += AreBusyNow();
  }
  EXPECT_GE(busy, 15);
}

}  // namespace
}  // namespace ramet::linalg
