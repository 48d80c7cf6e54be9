// A publisher and its follower in one process. One of its system calls fails, is interrupted or is
// cut short. That must result in an error or have no effect, and nothing may die or wait forever.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "models.h"
#include "ramet/ramet.h"
#include "ramet/replica/redis/testing/redis_server.h"
#include "tracer.h"

namespace ramet::faults {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kFollowed = 0;
constexpr int kFailed = 10;
constexpr int kVersions = 3;

class TransportTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "this system does not allow tracing child processes";
    folder_ = fs::temp_directory_path() / StrCat("ramet_transport_", getpid());
    if (GetParam() == "shm") address_ = StrCat("shm:faults ", getpid());
    if (GetParam() == "file") address_ = "file:" + folder_.string();
    if (GetParam() == "redis") {
      if (!redis::HasProgram("redis-server")) GTEST_SKIP() << "skipped: redis-server is missing";
      server_ = std::make_unique<redis::RedisServer>();
      address_ = StrCat("redis://", server_->where(), "/faults?poll=0.05");
    }
  }
  void TearDown() override { Clean(); }
  // Removes what an earlier run has left.
  void Clean() {
    fs::remove_all(folder_);
    if (server_) server_->Ask({"FLUSHALL"});
  }

  // Publishes versions until the follower has the last one.
  Status Follow() const {
    Model model;
    RAMET_RETURN_IF_ERROR(model.Set(0));
    Begin();
    PublisherOptions options;
    options.retention.at_limit = RetentionOptions::AtLimit::kWait;
    RAMET_ASSIGN_OR_RETURN(Publisher publisher,
                           Publisher::Open(address_, model.session(), options));
    RAMET_RETURN_IF_ERROR(publisher.Publish().status());
    RAMET_ASSIGN_OR_RETURN(Follower follower, Follower::Open(address_, {.wait = patience_}));
    for (int i = 1; i < kVersions; ++i) {
      RAMET_RETURN_IF_ERROR(model.Set(i));
      RAMET_RETURN_IF_ERROR(publisher.Publish().status());
    }
    RAMET_RETURN_IF_ERROR(follower.Wait(kVersions, patience_).status());
    RAMET_RETURN_IF_ERROR(publisher.Promote("stable", kVersions));
    RAMET_RETURN_IF_ERROR(follower.PublisherStatus().status());
    const Status hashed = follower.Hashes(kVersions, patience_).status();
    End();
    return hashed;
  }
  int FollowInChild() const {
    const Status status = Follow();
    return status.ok() ? kFollowed : kFailed;
  }

  void ForEachCall(Fault fault, uint64_t wanted, bool must_follow) {
    patience_ = must_follow ? 20s : 1s;
    Fault none = fault;
    none.kind = Fault::Kind::kNone;
    const Outcome whole = RunTraced([this] { return FollowInChild(); }, none);
    ASSERT_EQ(static_cast<int>(whole.end), static_cast<int>(Outcome::End::kExited));
    // Without a fault it finishes in time, unless the machine is very busy.
    ASSERT_TRUE(whole.status == kFollowed || !must_follow);
    const uint64_t stride = Stride(whole.calls, wanted);
    for (uint64_t at = 1; at <= whole.calls; at += stride) {
      Clean();
      fault.at = at;
      const Outcome outcome = RunTraced([this] { return FollowInChild(); }, fault);
      const std::string what = StrCat("call ", at, " of ", whole.calls, " (number ", outcome.call,
                                      "), error ", fault.error);
      ASSERT_EQ(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kExited))
          << what << ": signal " << outcome.status;
      const bool fine = outcome.status == kFollowed || (!must_follow && outcome.status == kFailed);
      EXPECT_TRUE(fine) << what << ": " << outcome.status;
    }
  }
  fs::path folder_;
  std::unique_ptr<redis::RedisServer> server_;
  std::string address_;
  std::chrono::milliseconds patience_ = 20s;
};

TEST_P(TransportTest, EachCallIsInterrupted) {
  const bool retries = GetParam() != "redis";  // hiredis does not
  ForEachCall({.kind = Fault::Kind::kError, .calls = kWaits, .error = EINTR}, 20, retries);
}

TEST_P(TransportTest, NoMoreDescriptors) {
  ForEachCall({.kind = Fault::Kind::kError, .calls = kOpens, .error = EMFILE}, 20, false);
}

TEST_P(TransportTest, NoMoreThreads) {
  ForEachCall({.kind = Fault::Kind::kError, .calls = kThreads, .error = EAGAIN}, 20, false);
}

TEST_P(TransportTest, TheDiskIsFull) {
  ForEachCall({.kind = Fault::Kind::kError, .calls = kChanges, .error = ENOSPC}, 20, false);
}

TEST_P(TransportTest, EachReadAndWriteIsShort) {
  const bool files = GetParam() == "file";
  if (!files) GTEST_SKIP() << "packets are not split";
  ForEachCall({.kind = Fault::Kind::kShort, .calls = kChanges | kReads}, 20, true);
}

INSTANTIATE_TEST_SUITE_P(All, TransportTest, ::testing::Values("shm", "file", "redis"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ramet::faults
