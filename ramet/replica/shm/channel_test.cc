#include "ramet/replica/shm/channel.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"

namespace ramet::shm {
namespace {

namespace fs = std::filesystem;

class ChannelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    here_.emplace(FileDescriptor(ends[0]));
    there_.emplace(FileDescriptor(ends[1]));
  }
  static size_t OpenDescriptors() {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
      count += !entry.path().empty();
    return count;
  }
  std::optional<Channel> here_, there_;
};

TEST_F(ChannelTest, DescriptorsOfAnEmptyPacketAreClosed) {
  const size_t before = OpenDescriptors();
  const int fds[] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(there_->Send("", fds).ok());
    EXPECT_TRUE(IsUnavailable(here_->Receive(1000).status()));
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(ChannelTest, ASignalDoesNotEndWaiting) {
  struct sigaction action = {};
  struct sigaction former;
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &former);
  const itimerval every_ten_millis = {{0, 10'000}, {0, 10'000}};
  setitimer(ITIMER_REAL, &every_ten_millis, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(IsDeadlineExceeded(here_->Receive(200).status()));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &former, nullptr);
}

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() : folder_(fs::temp_directory_path() / StrCat("ramet_channel_", getpid())) {
    fs::create_directory(folder_);
  }
  ~ListenerTest() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  const fs::path folder_;
};

TEST_F(ListenerTest, TheFileIsRemovedByTheDestructor) {
  {
    const Listener listener = Listener::Listen(At("s"), {}).value();
    EXPECT_TRUE(Channel::Connect(At("s")).ok());
    EXPECT_TRUE(IsAlreadyExists(Listener::Listen(At("s"), {}).status()));
  }
  EXPECT_FALSE(fs::exists(At("s")));
}

TEST_F(ListenerTest, AFileOfAnotherListenerStays) {
  std::optional<Listener> first = Listener::Listen(At("s"), {}).value();
  fs::rename(At("s"), At("former"));
  const Listener second = Listener::Listen(At("s"), {}).value();
  first.reset();
  EXPECT_TRUE(fs::exists(At("s")));
  EXPECT_TRUE(Channel::Connect(At("s")).ok());
}

TEST_F(ListenerTest, ConnectingToABusyListenerTimesOut) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, At("s").c_str(), sizeof(address.sun_path) - 1);
  const FileDescriptor busy(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(busy.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(busy.get(), 0), 0);
  std::vector<Channel> waiting;
  auto next = Channel::Connect(At("s"));
  while (next.ok()) {
    waiting.push_back(*std::move(next));
    next = Channel::Connect(At("s"));
  }
  EXPECT_TRUE(IsUnavailable(next.status())) << next.status().ToString();
  EXPECT_TRUE(IsAlreadyExists(Listener::Listen(At("s"), {}).status()));
}

class EndsCalls final : public RunInterrupt {
 public:
  EndsCalls() : RunInterrupt(false) { Request(); }

 private:
  bool Due() override { return true; }
};

TEST_F(ListenerTest, AnInterruptLeavesTheFileOfABusyListener) {
  const Listener busy = Listener::Listen(At("s"), {}).value();
  std::vector<Channel> waiting;
  while (true) {
    const EndsCalls interrupt;
    auto next = Channel::Connect(At("s"));
    if (!next.ok()) break;
    waiting.push_back(*std::move(next));
  }
  {
    const EndsCalls interrupt;
    EXPECT_TRUE(IsCancelled(Listener::Listen(At("s"), {}).status()));
    EXPECT_TRUE(IsCancelled(waiting[0].Receive(-1).status()));
  }
  EXPECT_TRUE(fs::exists(At("s")));
}

TEST_F(ListenerTest, AcceptWithoutAConnectionIsNotFound) {
  const Listener listener = Listener::Listen(At("s"), {}).value();
  EXPECT_TRUE(IsNotFound(listener.Accept().status()));
}

}  // namespace
}  // namespace ramet::shm
