// Tests of checkpoint folders on file systems without notifications. This program defines inotify's
// functions, which fail when a test asks for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "ramet/base/scratch_dir.h"
#include "ramet/ramet.h"

namespace {

std::atomic<int> init_error = 0, watch_error = 0;  // errno, or 0 for success
std::atomic<int> failures = 0;

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int inotify_init1(int flags) noexcept {
  if (init_error == 0) return static_cast<int>(syscall(SYS_inotify_init1, flags));
  ++failures;
  errno = init_error;
  return -1;
}
__attribute__((visibility("default"))) int inotify_add_watch(int fd, const char* name,
                                                             uint32_t mask) noexcept {
  if (watch_error == 0) return static_cast<int>(syscall(SYS_inotify_add_watch, fd, name, mask));
  ++failures;
  errno = watch_error;
  return -1;
}
}

namespace ramet {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;

class PollingTest : public ::testing::Test {
 protected:
  PollingTest() : scope_(graph_), saver_(MakeSaver()) {
    session_.emplace(Session::Create(graph_).value());
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  ~PollingTest() override { init_error = watch_error = failures = 0; }
  Saver MakeSaver() {
    w_ = scope_.GetVariable("w", {10}, Zeros());
    Identity(w_ * 1.0f, "y");
    return Saver(graph_);
  }
  void Save(int number) {
    Tensor value(kFloat, {10});
    for (float& x : value.mutable_flat<float>()) x = static_cast<float>(number);
    ASSERT_TRUE(session_->Assign(w_, value).ok());
    saver_.Save(*session_, folder_ / "m", {.global_step = GlobalStep(number)}).value();
  }
  // Checks that new checkpoints, labels and the removal of the folder are found by polling.
  void Follow() {
    Save(1);
    Follower follower = Follower::Open("file:" + folder_.path()).value();
    EXPECT_GT(failures, 0);
    for (int i = 2; i < 5; ++i) {
      Save(i);
      EXPECT_EQ(follower.Wait(static_cast<uint64_t>(i), 60s).value().id.step, i);
      const Tensor y = follower.session().Run("y:0").value();
      EXPECT_THAT(std::vector<float>(y.flat<float>().begin(), y.flat<float>().end()), Each(i));
    }
    ASSERT_TRUE(follower.Promote("stable", 3).ok());
    Follower stable = Follower::Open("file:" + folder_.path() + "@stable").value();
    EXPECT_EQ(stable.current().id.version, 3u);
    ASSERT_TRUE(follower.Promote("stable", 4).ok());
    EXPECT_TRUE(stable.Wait(4, 60s).ok());
  }

  const ScratchDir folder_;
  Graph graph_;
  Scope scope_;
  Variable w_;
  Saver saver_;
  std::optional<Session> session_;
};

TEST_F(PollingTest, ThereAreNoMoreInstancesOfInotify) {
  init_error = EMFILE;
  Follow();
}

TEST_F(PollingTest, TheKernelHasNoInotify) {
  init_error = ENOSYS;
  Follow();
}

TEST_F(PollingTest, ThereAreNoMoreWatches) {
  watch_error = ENOSPC;
  Follow();
}

}  // namespace
}  // namespace ramet
