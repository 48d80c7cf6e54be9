// Tests of publishers and followers with a real Redis server, through the public interface. Some
// use several network namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <future>
#include <optional>

#include "ramet/ramet.h"
#include "ramet/replica/redis/testing/redis_server.h"

namespace ramet {
namespace {

using namespace std::chrono_literals;
using redis::Eventually;
using redis::RedisServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A trainer with one variable. Each step adds 1 to it.
class Trainer {
 public:
  Trainer() : scope_(graph_) {
    w_ = scope_.GetVariable("w", {3}, Zeros());
    x_ = scope_.Placeholder("x", kFloat, {3});
    y_ = Identity(w_ * x_, "y");
    add_ = AssignAdd(w_.ref(), Constant(graph_, Ones()), "add");
    session_.emplace(Session::Create(graph_).value());
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  static Tensor Ones() { return Tensor::Vector<float>({1, 1, 1}); }
  void Step() { session_->Run(add_).value(); }
  Session& session() { return *session_; }

 private:
  Graph graph_;
  Scope scope_;
  Variable w_;
  Output x_, y_, add_;
  std::optional<Session> session_;
};

std::vector<float> Values(Session& session) {
  const Tensor y = session.Run({{"x:0", Trainer::Ones()}}, "y:0").value();
  return {y.flat<float>().begin(), y.flat<float>().end()};
}

class RedisTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!redis::HasProgram("redis-server")) GTEST_SKIP() << "skipped: there is no redis-server";
    server_.emplace();
  }
  std::string Address(std::string_view label = "") const {
    return StrCat("redis://", server_->where(), "/policy", label, "?lease=10&poll=0.05");
  }

  std::optional<RedisServer> server_;
  Trainer trainer_;
};

TEST_F(RedisTest, AFollowerNeedsNothingButTheAddress) {
  Publisher publisher = Publisher::Open(Address(), trainer_.session()).value();
  trainer_.Step();
  EXPECT_EQ(publisher.Publish({.step = 7}).value(), 1u);
  Follower follower = Follower::Open(Address()).value();
  EXPECT_EQ(follower.Wait(1, 30s).value().id.step, 7);
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1));
  for (int i = 2; i <= 10; ++i) {
    trainer_.Step();
    const uint64_t version = publisher.Publish().value();
    EXPECT_EQ(follower.Wait(version, 30s).value().id.version, version);
    EXPECT_THAT(Values(follower.session()), ElementsAre(i, i, i));
  }
}

TEST_F(RedisTest, TheTrainerAndTheFollowerGoOnWithoutTheServer) {
  Publisher publisher = Publisher::Open(Address(), trainer_.session()).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  follower.Wait(1, 30s).value();
  server_->Kill();
  uint64_t version = 0;
  for (int i = 0; i < 5; ++i) {
    trainer_.Step();
    version = publisher.Publish().value();
    EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0));
  }
  server_->Start();
  EXPECT_EQ(follower.Wait(version, 30s).value().id.version, version);
  EXPECT_THAT(Values(follower.session()), ElementsAre(5, 5, 5));
  EXPECT_TRUE(Eventually([&] { return follower.stats().connected; }));
}

TEST_F(RedisTest, LabelsAndANewEpoch) {
  std::optional<Publisher> publisher(Publisher::Open(Address(), trainer_.session()).value());
  const uint64_t first = publisher->Publish().value();
  ASSERT_TRUE(publisher->Promote("stable", first).ok());
  Follower stable = Follower::Open(Address("@stable")).value();
  Follower newest = Follower::Open(Address()).value();
  trainer_.Step();
  newest.Wait(publisher->Publish().value(), 30s).value();
  EXPECT_THAT(Values(stable.session()), ElementsAre(0, 0, 0));
  EXPECT_THAT(Values(newest.session()), ElementsAre(1, 1, 1));
  const uint64_t epoch = publisher->stats().epoch;
  publisher.reset();
  trainer_.Step();
  publisher.emplace(Publisher::Open(Address(), trainer_.session()).value());
  publisher->Publish().value();
  EXPECT_TRUE(Eventually([&] { return newest.current().id.epoch != epoch; }));
  EXPECT_THAT(Values(newest.session()), ElementsAre(2, 2, 2));
}

TEST_F(RedisTest, ADamagedVersionIsRefusedAndTheOldOneServes) {
  Publisher publisher = Publisher::Open(Address(), trainer_.session()).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  EXPECT_TRUE(Eventually([&] { return follower.Update().value().id.version == 1; }));
  trainer_.Step();
  publisher.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().newest == 2; }));
  for (const std::string& key : server_->KeysLike("ramet:{policy}:blob:*")) {
    server_->Ask({"SETRANGE", key, "3", "xxx"});
  }
  EXPECT_TRUE(IsDataLoss(follower.Update().status()));
  EXPECT_EQ(follower.stats().refused, 1u);
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0));
  trainer_.Step();
  publisher.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().newest == 3; }));
  EXPECT_EQ(follower.Update().value().id.version, 3u);
  EXPECT_THAT(Values(follower.session()), ElementsAre(2, 2, 2));
}

TEST_F(RedisTest, AVersionThatEndedWithItsPublisherIsNotRefused) {
  const std::string address = StrCat("redis://", server_->where(), "/policy?lease=60&poll=60");
  Publisher publisher = Publisher::Open(address, trainer_.session()).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(address, {.automatic = false}).value();
  EXPECT_TRUE(Eventually([&] { return follower.Update().value().id.version == 1; }));
  trainer_.Step();
  publisher.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().newest == 2; }));
  for (const std::string& key : server_->KeysLike("ramet:{policy}:*")) server_->Ask({"DEL", key});
  const auto updated = follower.Update();
  EXPECT_EQ(updated.value().id.version, 1u);
  EXPECT_EQ(follower.stats().refused, 0u) << follower.stats().last_refusal;
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0));
}

TEST_F(RedisTest, PasswordsAreNotShown) {
  const std::string address = StrCat("redis://me:s3cret@", server_->where(), "/policy");
  const auto waited = Follower::Open(address, {.wait = 0ms});
  EXPECT_FALSE(waited.ok());
  EXPECT_THAT(waited.status().message(), Not(HasSubstr("s3cret")));
  const auto publisher = Publisher::Open(address, trainer_.session());
  EXPECT_FALSE(publisher.ok());
  EXPECT_THAT(publisher.status().message(), Not(HasSubstr("s3cret")));
  const auto other = Follower::Open("nonsense://me:s3cret@host/policy");
  EXPECT_THAT(other.status().message(), HasSubstr("use file:DIR, redis://HOST/NAME"));
  EXPECT_THAT(other.status().message(), Not(HasSubstr("s3cret")));
}

// Three connected network namespaces: the publisher's and the follower's are each linked to the
// server's by a separate cable.
class Network {
 public:
  Network() {
    ok_ = Ip({"netns", "add", Name('s')}) && Ip({"-n", Name('s'), "link", "set", "lo", "up"}) &&
          Join('p', 1) && Join('f', 2);
  }
  ~Network() {
    for (char which : {'p', 'f', 's'}) (void)Ip({"netns", "del", Name(which)});
  }
  bool ok() const { return ok_; }
  static std::string Name(char which) { return StrCat("ramet", getpid(), which); }
  // Returns the server's address in the namespace `which`.
  static std::string Server(char which) { return which == 'p' ? "10.213.1.1" : "10.213.2.1"; }
  bool SetCable(char which, std::string_view state) {
    return Ip({"-n", Name('s'), "link", "set", StrCat("to", which), std::string(state)});
  }
  // Runs `work` on a thread in a namespace. Processes that it starts are in that namespace too.
  static void Within(char which, const std::function<void()>& work) {
    std::thread([&] {
      const int fd = open(StrCat("/var/run/netns/", Name(which)).c_str(), O_RDONLY | O_CLOEXEC);
      ASSERT_EQ(setns(fd, CLONE_NEWNET), 0);
      close(fd);
      work();
    }).join();
  }

 private:
  static bool Ip(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ip");
    int status = 0;
    waitpid(redis::Spawn(arguments, "/dev/null"), &status, 0);
    return status == 0;
  }
  static bool Join(char which, int net) {
    const std::string here = StrCat("to", which), prefix = StrCat("10.213.", net, ".");
    return Ip({"netns", "add", Name(which)}) &&
           Ip({"-n", Name('s'), "link", "add", here, "type", "veth", "peer", "name", "cable",
               "netns", Name(which)}) &&
           Ip({"-n", Name('s'), "address", "add", prefix + "1/24", "dev", here}) &&
           Ip({"-n", Name(which), "address", "add", prefix + "2/24", "dev", "cable"}) &&
           Ip({"-n", Name('s'), "link", "set", here, "up"}) &&
           Ip({"-n", Name(which), "link", "set", "cable", "up"});
  }
  bool ok_ = false;
};

TEST(RedisNetworkTest, ACutCableIsOnlyAPause) {
  if (!redis::HasProgram("redis-server")) GTEST_SKIP() << "skipped: there is no redis-server";
  if (!redis::HasProgram("ip")) GTEST_SKIP() << "skipped: there is no ip (iproute2)";
  Network network;
  if (!network.ok()) GTEST_SKIP() << "skipped: cannot create network namespaces (needs root)";
  std::optional<RedisServer> server;
  Network::Within('s', [&] {
    server.emplace(std::vector<std::string>{"--bind", "0.0.0.0", "--protected-mode", "no"});
  });
  auto address = [&](char which) {
    return StrCat("redis://", Network::Server(which), ":", server->port(),
                  "/policy?lease=2&poll=0.1&timeout=2");
  };
  Trainer trainer;
  std::optional<Publisher> publisher;
  std::optional<Follower> follower;
  Network::Within(
      'p', [&] { publisher.emplace(Publisher::Open(address('p'), trainer.session()).value()); });
  publisher->Publish().value();
  Network::Within('f',
                  [&] { follower.emplace(Follower::Open(address('f'), {.wait = 30s}).value()); });
  follower->Wait(1, 30s).value();
  EXPECT_FALSE(Follower::Open(address('p'), {.wait = 0ms}).ok()) << "this one is in no namespace";

  for (char cut : {'f', 'p'}) {
    const auto before = Values(follower->session());
    ASSERT_TRUE(network.SetCable(cut, "down"));
    uint64_t version = 0;
    for (int i = 0; i < 3; ++i) {
      trainer.Step();
      version = publisher->Publish().value();
    }
    // Wait until one side has noticed: the follower, or the server that the publisher is silent.
    ASSERT_TRUE(Eventually([&] { return !follower->stats().connected; })) << cut;
    EXPECT_EQ(Values(follower->session()), before);
    ASSERT_TRUE(network.SetCable(cut, "up"));
    EXPECT_GE(follower->Wait(version, 60s).value().id.version, version);
    EXPECT_THAT(Values(follower->session()), Values(trainer.session()));
    EXPECT_TRUE(Eventually([&] { return follower->stats().connected; }));
  }
}

}  // namespace
}  // namespace ramet
