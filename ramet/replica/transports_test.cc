#include "ramet/replica/transports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/channel.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;
using ::testing::HasSubstr;

TEST(Transports, EachSchemeIsRegisteredOnceWithItsTexts) {
  std::set<std::string_view> names;
  for (const TransportFactory& factory : Transports()) {
    ASSERT_FALSE(factory.schemes.empty());
    EXPECT_TRUE(factory.check && factory.open_publisher && factory.connect_follower);
    for (const TransportFactory::Scheme& scheme : factory.schemes) {
      EXPECT_TRUE(names.insert(scheme.name).second) << scheme.name;
      EXPECT_FALSE(scheme.description.empty()) << scheme.name;
      EXPECT_TRUE(scheme.forms.starts_with(StrCat(scheme.name, ":"))) << scheme.forms;
      EXPECT_EQ(FindTransport(scheme.name), &factory);
    }
  }
  EXPECT_THAT(names, ::testing::ElementsAre("file", "redis", "rediss", "shm"));
}

TEST(Transports, ErrorsListTheRegisteredForms) {
  for (const TransportFactory& factory : Transports()) {
    for (const TransportFactory::Scheme& scheme : factory.schemes) {
      const std::string forms(scheme.forms);
      EXPECT_THAT(ReplicaAddressForms(), HasSubstr(forms));
      EXPECT_THAT(ParseReplicaAddress("x:policy").status().message(),
                  HasSubstr(forms.substr(0, forms.find(' '))));
      EXPECT_THAT(ParseReplicaAddress(StrCat(scheme.name, ":")).status().message(),
                  HasSubstr(forms));
    }
  }
}

TEST(Transports, HelpTextsSayWhereVersionsOutliveTheirPublisher) {
  for (const TransportFactory& factory : Transports()) {
    const std::string_view kept =
        factory.outlives_publisher ? "; versions outlive the publisher" : "";
    for (const TransportFactory::Scheme& scheme : factory.schemes) {
      EXPECT_THAT(ReplicaAddressForms(),
                  HasSubstr(StrCat(scheme.forms, " (", scheme.description, kept, ")")));
    }
  }
}

TEST(Transports, AnAddressWithoutASchemeGetsTheSchemesThatFit) {
  const std::string name = ParseReplicaAddress("policy").status().message();
  EXPECT_THAT(name, HasSubstr("write shm:policy for shared memory on this machine"));
  EXPECT_THAT(name, HasSubstr("write file:policy for a folder"));
  EXPECT_THAT(name, ::testing::Not(HasSubstr("redis:policy")));
  EXPECT_THAT(ParseReplicaAddress("//host/policy").status().message(),
              HasSubstr("write redis://host/policy for a Redis server"));
  EXPECT_THAT(ParseReplicaAddress("").status().message(), HasSubstr("use file:DIR"));
}

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
