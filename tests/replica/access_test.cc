// Tests of access control: other users, and processes in other namespaces that share a folder. They
// need root, which can become a different user.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>

#include "ramet/ramet.h"

namespace ramet {
namespace {

constexpr uid_t kOther = 65534;
enum Outcome { kFollows = 10, kIsRefused = 11, kFindsNobody = 12, kOtherError = 13 };

// Follows `address` and exits with the outcome.
[[noreturn]] void Follow(const std::string& address) {
  const auto follower = Follower::Open(address, {.wait = std::chrono::milliseconds(2000)});
  if (follower.ok()) {
    const auto value = follower->session().Run("w:0");
    _exit(value.ok() && value->scalar<float>() == 3.0f ? kFollows : kOtherError);
  }
  std::fprintf(stderr, "%s\n", follower.status().ToString().c_str());
  if (IsPermissionDenied(follower.status())) _exit(kIsRefused);
  _exit(IsDeadlineExceeded(follower.status()) ? kFindsNobody : kOtherError);
}

// Returns the outcome in a new process with this role. It executes this program again, so that it
// starts with one thread.
int OutcomeOf(const std::string& role, const std::string& address) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl("/proc/self/exe", "child", role.c_str(), address.c_str(), nullptr);
    _exit(99);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class AccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root";
    folder_ = StrCat("/tmp/ramet access ", getpid());
    mkdir(folder_.c_str(), 0777);
    chmod(folder_.c_str(), 0777);
    Scope scope(graph_);
    scope.GetVariable("w", {}, ConstantInit(3.0f));
    session_.emplace(Session::Create(graph_).value());
    session_->InitializeMissing().value();
  }
  void TearDown() override {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  std::string Path() const { return StrCat("shm:", folder_, "/socket"); }
  Publisher Publish(const std::string& address, const AccessOptions& access) {
    PublisherOptions options;
    options.access = access;
    Publisher publisher = Publisher::Open(address, *session_, options).value();
    publisher.Publish().value();
    return publisher;
  }

  std::string folder_;
  Graph graph_;
  std::optional<Session> session_;
};

TEST_F(AccessTest, OnlyTheOwnerByDefault) {
  Publisher publisher = Publish(Path(), {});
  EXPECT_EQ(OutcomeOf("same", Path()), kFollows);
  EXPECT_EQ(OutcomeOf("other user", Path()), kIsRefused);
}

TEST_F(AccessTest, OthersIfTheModeAllowsIt) {
  Publisher publisher = Publish(Path(), {.mode = 0666});
  EXPECT_EQ(OutcomeOf("other user", Path()), kFollows);
}

TEST_F(AccessTest, AGroupIfTheModeAllowsIt) {
  Publisher publisher = Publish(Path(), {.mode = 0660, .group = kOther});
  EXPECT_EQ(OutcomeOf("other user", Path()), kFollows);
}

TEST_F(AccessTest, NamesBelongToAUser) {
  const std::string name = StrCat("shm:access ", getpid());
  Publisher publisher = Publish(name, {.mode = 0666});
  EXPECT_EQ(OutcomeOf("same", name), kFollows);
  EXPECT_EQ(OutcomeOf("other user", name), kFindsNobody);
}

// Simulates containers that share nothing but a folder.
TEST_F(AccessTest, NamespacesMeetByAPath) {
  Publisher publisher = Publish(Path(), {});
  const int outcome = OutcomeOf("namespaces", Path());
  if (outcome == 98) GTEST_SKIP() << "skipped: no namespaces can be made here";
  EXPECT_EQ(outcome, kFollows);
}

}  // namespace

int RunChild(char** argv) {
  const std::string role = argv[1];
  if (role == "other user" && (setgid(kOther) != 0 || setuid(kOther) != 0)) return 97;
  if (role == "namespaces") {
    if (unshare(CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) != 0) return 98;
    const pid_t pid = fork();  // the first process of the new PID namespace
    if (pid == 0) Follow(argv[2]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
  }
  Follow(argv[2]);
}

}  // namespace ramet

int main(int argc, char** argv) {
  if (std::strcmp(argv[0], "child") == 0 && argc == 3) return ramet::RunChild(argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
