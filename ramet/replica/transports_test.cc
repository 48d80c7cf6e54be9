#include "ramet/replica/transports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;

TEST(Greeting, HasATimeLimit) {
  const auto now = Clock::now();
  EXPECT_LT(GreetingEnd(Clock::time_point::max()), now + std::chrono::hours(1));
  EXPECT_GT(GreetingEnd(now), now + std::chrono::seconds(1));
  EXPECT_GE(GreetingEnd(now + std::chrono::hours(1)), now + std::chrono::hours(1));
}

// The socket is listening, so a follower that waits for a publisher would wait forever.
TEST(Greeting, TheErrorForASilentPublisherSaysWhatToDo) {
  const std::string name = StrCat("silent greeting ", getpid());
  const shm::Listener silent =
      shm::Listener::Listen(shm::SocketAddress(name, geteuid()).value(), {}).value();
  const ReplicaAddress address{"shm", name, ""};
  const auto follower = ConnectFollowerTransport(address, Clock::now() + std::chrono::seconds(0));
  ASSERT_TRUE(IsDeadlineExceeded(follower.status())) << follower.status().ToString();
  const Status told = NoGreeting("shm:x", follower.status());
  EXPECT_TRUE(IsUnavailable(told));
  EXPECT_NE(told.message().find("restart it"), std::string::npos) << told.message();
}

}  // namespace
}  // namespace ramet
