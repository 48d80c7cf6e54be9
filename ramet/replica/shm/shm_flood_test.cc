// Tests that a process that takes as many connections as it can neither locks out other followers
// nor exhausts the publisher's descriptors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"
#include "ramet/replica/shm/shm_follower.h"
#include "ramet/replica/shm/shm_publisher.h"

namespace ramet::shm {
namespace {

using Clock = FollowerTransport::Clock;

constexpr rlim_t kDescriptors = 256;
constexpr int kConnections = 200;
constexpr int kOwnFiles = 100;

enum class Flood { kReadsNothing, kReadsGreetings };

// A process that connects on command and keeps its connections until it is killed. It is created
// before any threads exist.
class Flooder {
 public:
  Flooder(std::string socket, Flood flood) : socket_(std::move(socket)), flood_(flood) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    const Channel there{FileDescriptor(ends[1])};
    here_ = std::make_unique<Channel>(FileDescriptor(ends[0]));
    pid_ = fork();
    if (pid_ == 0) {
      here_.reset();
      Work(there);
    }
  }
  ~Flooder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool Begin() const { return here_->Send("begin").ok() && here_->Receive(60'000).ok(); }

 private:
  [[noreturn]] void Work(const Channel& parent) const {
    rlimit many{1024, 1024};
    setrlimit(RLIMIT_NOFILE, &many);
    if (!parent.Receive(60'000).ok()) _exit(1);
    std::vector<Channel> kept;
    for (int i = 0; i < kConnections; ++i) {
      auto channel = Channel::Connect(socket_);
      if (!channel.ok()) continue;
      if (flood_ == Flood::kReadsGreetings) (void)channel->Receive(1000);
      kept.push_back(*std::move(channel));
    }
    (void)parent.Send("done");
    (void)parent.Receive(-1);
    _exit(0);
  }
  const std::string socket_;
  const Flood flood_;
  std::unique_ptr<Channel> here_;
  pid_t pid_ = -1;
};

class ShmFloodTest : public ::testing::TestWithParam<Flood> {
 protected:
  ShmFloodTest() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = kDescriptors;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~ShmFloodTest() override { setrlimit(RLIMIT_NOFILE, &before_); }
  rlimit before_{};
};

TEST_P(ShmFloodTest, OtherFollowersConnectAndDescriptorsRemain) {
  const std::string address = StrCat("flood ", getpid(), " ", static_cast<int>(GetParam()));
  const Flooder flooder(SocketAddress(address, geteuid()).value(), GetParam());
  Announcement announcement;
  announcement.epoch = 7;
  announcement.signature.push_back({.name = "a", .dtype = DType::kFloat, .shape = Shape{4}});
  auto publisher = OpenPublisher(address, announcement, {}, {}).value();
  ASSERT_TRUE(flooder.Begin());
  const auto follower = ConnectFollower(address, Clock::now() + std::chrono::seconds(60));
  EXPECT_TRUE(follower.ok()) << follower.status().ToString();
  std::vector<FileDescriptor> own;
  for (int i = 0; i < kOwnFiles; ++i) {
    own.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_GE(own.back().get(), 0) << "after " << i;
  }
  EXPECT_LE(publisher->stats().readers, static_cast<int>(kDescriptors) / 4);
}

INSTANTIATE_TEST_SUITE_P(All, ShmFloodTest,
                         ::testing::Values(Flood::kReadsNothing, Flood::kReadsGreetings));

TEST(SilentPublisher, ConnectingTimesOut) {
  const std::string address = StrCat("silent ", getpid());
  const Listener silent = Listener::Listen(SocketAddress(address, geteuid()).value(), {}).value();
  const auto follower = ConnectFollower(address, Clock::now() + std::chrono::milliseconds(50));
  EXPECT_TRUE(IsDeadlineExceeded(follower.status())) << follower.status().ToString();
}

}  // namespace
}  // namespace ramet::shm
