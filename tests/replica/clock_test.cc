// Tests with clocks that jump. This program defines clock_gettime, so that tests control the wall
// clock of all its libraries. CLOCK_MONOTONIC remains the kernel's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "ramet/base/scratch_dir.h"
#include "ramet/ramet.h"
#include "ramet/replica/redis/testing/redis_server.h"

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

std::atomic<int64_t> clock_offset = 0;  // added to the wall clock, in nanoseconds
std::atomic<int64_t> clock_stands = 0;  // if not 0, the wall clock stands at this time

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock != CLOCK_REALTIME || result != 0) return result;
  int64_t now = clock_stands;
  if (now == 0) now = time->tv_sec * kSecond + time->tv_nsec + clock_offset;
  *time = {now / kSecond, now % kSecond};
  return result;
}

namespace ramet {
namespace {

using namespace std::chrono_literals;
using redis::Eventually;
using redis::RedisServer;
using ::testing::Each;
using Steady = std::chrono::steady_clock;

constexpr int64_t kElements = 100;
constexpr double kHour = 3600;
// Forward, back, back to before all existing files, and forward to the time of a machine without a
// clock.
constexpr int64_t kJumps[] = {kDay, -kDay, -3650 * kDay, kDay};

// Returns the kernel's time in nanoseconds since 1970.
int64_t RealTime() {
  timespec time;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

// A model in which every element is the number of its updates.
class Trainer {
 public:
  Trainer() : scope_(graph_) {
    w_ = scope_.GetVariable("w", {kElements}, Zeros());
    Identity(w_ * 1.0f, "y");
    add_ = AssignAdd(w_.ref(), Fill(Constant(graph_, Tensor::Vector<int32_t>({kElements})), 1.0f));
    session_.emplace(Session::Create(graph_).value());
    session_->Run(scope_.GlobalVariablesInitializer()).value();
    saver_.emplace(graph_);
  }
  Session& session() { return *session_; }
  float Step() {
    session_->Run(add_).value();
    return ++steps_;
  }
  void Save(const std::string& prefix) { saver_->Save(*session_, prefix).value(); }

 private:
  Graph graph_;
  Scope scope_;
  Variable w_;
  Output add_;
  std::optional<Session> session_;
  std::optional<Saver> saver_;
  float steps_ = 0;
};

std::vector<float> Values(Session& session) {
  const Tensor y = session.Run("y:0").value();
  return {y.flat<float>().begin(), y.flat<float>().end()};
}

// Resets the clock after each test.
class ClockTest : public ::testing::TestWithParam<std::string> {
 protected:
  ~ClockTest() override {
    clock_offset = 0;
    clock_stands = 0;
  }
  void SetUp() override {
    if (GetParam() != "redis") return;
    if (!redis::HasProgram("redis-server")) GTEST_SKIP() << "skipped: there is no redis-server";
    server_.emplace();
  }
  std::string Address() const {
    if (GetParam() == "shm") return StrCat("shm:clock ", getpid());
    if (GetParam() == "file") return StrCat("file:", folder_.path(), "/");
    return StrCat("redis://", server_->where(), "/clock?lease=10&poll=0.05");
  }
  Publisher Publish(Trainer& trainer) {
    PublisherOptions options;
    options.retention.retained = 3;
    options.retention.at_limit = RetentionOptions::AtLimit::kWait;
    return Publisher::Open(Address(), trainer.session(), options).value();
  }
  static bool Has(Follower& follower, uint64_t epoch, uint64_t version) {
    return Eventually([&] {
      const VersionId now = follower.current().id;
      return now.epoch == epoch && now.version == version;
    });
  }

  ScratchDir folder_;
  std::optional<RedisServer> server_;
};

TEST_P(ClockTest, TheLibraryHasTheClockOfTheTest) {
  Trainer trainer;
  Publisher publisher = Publish(trainer);
  clock_offset = -kDay;
  const uint64_t version = publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.wait = 30s}).value();
  const VersionInfo info = follower.Wait(version, 30s).value();
  EXPECT_NEAR(static_cast<double>(info.time_nanos), static_cast<double>(RealTime() - kDay),
              kHour * kSecond);
}

TEST_P(ClockTest, APublisherThatStartsAgainIsFollowed) {
  Trainer trainer;
  std::optional<Publisher> publisher(Publish(trainer));
  publisher->Publish().value();
  Follower follower = Follower::Open(Address(), {.wait = 30s}).value();
  std::set<uint64_t> epochs = {publisher->stats().epoch};
  for (const int64_t jump : kJumps) {
    publisher.reset();
    clock_offset = jump;
    publisher.emplace(Publish(trainer));
    const uint64_t epoch = publisher->stats().epoch;
    EXPECT_TRUE(epochs.insert(epoch).second) << "epoch " << epoch << " came before";
    for (int i = 0; i < 3; ++i) {
      const float value = trainer.Step();
      const uint64_t version = publisher->Publish().value();
      ASSERT_TRUE(Has(follower, epoch, version)) << jump << " " << version;
      EXPECT_THAT(Values(follower.session()), Each(value));
    }
    Follower late = Follower::Open(Address(), {.wait = 30s}).value();
    EXPECT_THAT(Values(late.session()), Each(Values(trainer.session())[0]));
  }
  EXPECT_EQ(follower.stats().refused, 0u) << follower.stats().last_refusal;
}

TEST_P(ClockTest, AgesStaySensible) {
  Trainer trainer;
  Publisher publisher = Publish(trainer);
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.wait = 30s, .automatic = false}).value();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  publisher.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().lag == 1; }));
  for (const int64_t jump : kJumps) {
    clock_offset = jump;
    const FollowerStats stats = follower.stats();
    EXPECT_GE(stats.age_seconds, 0);
    EXPECT_LT(stats.age_seconds, kHour);
    EXPECT_GE(stats.lag_seconds, 0);
    EXPECT_LT(stats.lag_seconds, kHour);
  }
  clock_offset = kDay;  // the next version comes from the future
  const uint64_t version = publisher.Publish().value();
  clock_offset = 0;
  ASSERT_TRUE(follower.Wait(version, 30s).ok());
  EXPECT_LT(follower.stats().age_seconds, kHour);
  EXPECT_GE(follower.stats().age_seconds, 0);
}

TEST_P(ClockTest, WaitsKeepToTheirTime) {
  Trainer trainer;
  Publisher publisher = Publish(trainer);
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.wait = 30s}).value();
  follower.Wait(1, 30s).value();
  for (const int64_t jump : kJumps) {
    std::thread clock([&] {
      std::this_thread::sleep_for(20ms);
      clock_offset = jump;
    });
    const auto begin = Steady::now();
    EXPECT_TRUE(IsDeadlineExceeded(follower.Wait(1'000'000'000'000'000'000, 100ms).status()));
    EXPECT_GE(Steady::now() - begin, 100ms);
    clock.join();
    const uint64_t next = follower.current().id.version + 1;
    std::thread trains([&] {
      std::this_thread::sleep_for(20ms);
      clock_offset = 0;
      publisher.Publish().value();
    });
    EXPECT_EQ(follower.Wait(next, 30s).value().id.version, next);
    trains.join();
  }
}

TEST_P(ClockTest, VersionsGoOnWhileTheClockJumps) {
  Trainer trainer;
  Publisher publisher = Publish(trainer);
  publisher.Publish().value();
  Follower follower =
      Follower::Open(Address(), {.wait = 30s, .verify = Verify::kBeforeUse}).value();
  for (int i = 0; i < 12; ++i) {
    clock_offset = kJumps[i % 4];
    const float value = trainer.Step();
    const uint64_t version = publisher.Publish().value();
    ASSERT_EQ(follower.Wait(version, 30s).value().id.version, version);
    EXPECT_THAT(Values(follower.session()), Each(value));
  }
  clock_offset = -kDay;
  const std::vector<uint64_t> versions = follower.Versions();
  ASSERT_GE(versions.size(), 2u);
  const uint64_t kept = versions[versions.size() - 2];  // the oldest may be about to be removed
  const uint64_t again = follower.Rollback(kept).value();
  const VersionInfo info = follower.Wait(again, 30s).value();
  EXPECT_EQ(info.rollback_to, kept);
  EXPECT_NEAR(static_cast<double>(info.time_nanos), static_cast<double>(RealTime() - kDay),
              kHour * kSecond);
}

INSTANTIATE_TEST_SUITE_P(Ways, ClockTest, ::testing::Values("shm", "file", "redis"),
                         [](const auto& param) { return param.param; });

// If others can read a publisher's epoch, the next epoch differs even if the clock stands still.
class StandingClockTest : public ClockTest {};

TEST_P(StandingClockTest, EpochsDiffer) {
  Trainer trainer;
  clock_stands = RealTime();
  std::set<uint64_t> epochs;
  for (int i = 0; i < 40; ++i) {
    Publisher publisher = Publish(trainer);
    publisher.Publish().value();
    EXPECT_TRUE(epochs.insert(publisher.stats().epoch).second) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, StandingClockTest, ::testing::Values("file", "redis"),
                         [](const auto& param) { return param.param; });

// Files written before the clock went back have a later time than files written afterwards.
class FolderClockTest : public ClockTest {
 protected:
  // Makes all files look as if the clock had been a day ahead when they were written.
  void ClockGoesBack() const {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path())) {
      struct stat s;
      if (stat(file.path().c_str(), &s) != 0) continue;  // removed in the meantime
      timespec times[] = {s.st_atim, s.st_mtim};
      times[1].tv_sec += 86'400;
      ASSERT_EQ(utimensat(AT_FDCWD, file.path().c_str(), times, 0), 0);
    }
  }
};

TEST_P(FolderClockTest, APublishersNextVersionIsTheNewest) {
  Trainer trainer;
  std::optional<Publisher> publisher(Publish(trainer));
  publisher->Publish().value();
  Follower follower = Follower::Open(Address(), {.wait = 30s}).value();
  publisher.reset();
  ClockGoesBack();
  publisher.emplace(Publish(trainer));
  for (int i = 0; i < 3; ++i) {
    const float value = trainer.Step();
    const uint64_t version = publisher->Publish().value();
    ASSERT_TRUE(Has(follower, publisher->stats().epoch, version));
    EXPECT_THAT(Values(follower.session()), Each(value));
    EXPECT_THAT(Values(Follower::Open(Address()).value().session()), Each(value));
    EXPECT_EQ(LatestCheckpoint(folder_.path()).value(), folder_ / StrCat("model.ckpt-", version));
    ClockGoesBack();
  }
}

TEST_P(FolderClockTest, ASaversNextCheckpointIsTheNewest) {
  Trainer trainer;
  trainer.Save(folder_ / "m");
  Follower follower = Follower::Open(Address()).value();
  for (int i = 0; i < 3; ++i) {
    ClockGoesBack();
    const uint64_t before = follower.current().id.version;
    const float value = trainer.Step();
    trainer.Save(folder_ / "m");
    ASSERT_TRUE(Eventually([&] { return Values(follower.session())[0] == value; }));
    EXPECT_GT(follower.current().id.version, before);
    EXPECT_THAT(Values(Follower::Open(Address()).value().session()), Each(value));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FolderClockTest, ::testing::Values("file"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace ramet
