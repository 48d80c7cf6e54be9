// Tests of publisher and follower with a real Redis server, which each test starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "ramet/base/run_interrupt.h"
#include "ramet/replica/redis/redis_follower.h"
#include "ramet/replica/redis/redis_publisher.h"
#include "ramet/replica/redis/testing/cutting_relay.h"
#include "ramet/replica/redis/testing/redis_server.h"
#include "ramet/replica/version_hash.h"

namespace ramet::redis {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = FollowerTransport::Clock;

constexpr std::string_view kOptions = "lease=10&poll=0.05&chunk=1024";

std::vector<float> Floats(const Tensor& value) {
  return {value.flat<float>().begin(), value.flat<float>().end()};
}

class RedisTransportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasProgram("redis-server")) GTEST_SKIP() << "skipped: there is no redis-server";
    server_.emplace();
  }

  static Announcement Announced(uint64_t epoch = 7) {
    return {epoch, {{"w", kFloat, Shape{2}}, {"big", kFloat, Shape{700}}}, std::string(5000, 'g')};
  }
  std::string Location(std::string_view options = kOptions) {
    return StrCat("//", server_->where(), "/m?", options);
  }
  using PublisherPtr = std::unique_ptr<PublisherTransport>;
  using FollowerPtr = std::unique_ptr<FollowerTransport>;
  PublisherPtr Publisher(const RetentionOptions& retention = {}, uint64_t epoch = 7) {
    return OpenPublisher("redis", Location(), Announced(epoch), retention, false).value();
  }
  PublisherPtr PublisherWith(std::string_view options, const RetentionOptions& retention = {}) {
    return OpenPublisher("redis", Location(options), Announced(), retention, false).value();
  }
  FollowerPtr Follower() { return Connect(Location()).value(); }
  static StatusOr<FollowerPtr> Connect(const std::string& location) {
    return ConnectFollower("redis", location, Clock::now() + 10s);
  }

  static std::vector<Tensor> Values(float w, float big) {
    std::vector<float> many(700);
    std::iota(many.begin(), many.end(), big);
    return {Tensor::Vector<float>({w, w}), Tensor::Vector(many)};
  }
  static uint64_t Publish(PublisherTransport& publisher, float w, float big = 0) {
    VersionInfo info;
    info.id.step = static_cast<int64_t>(w);
    info.metrics = {{"loss", 0.5}};
    return publisher.Publish(info, Values(w, big), {}, nullptr).value();
  }
  // Waits for a version and returns it.
  static std::unique_ptr<HeldVersion> TakeWhenThere(FollowerTransport& follower, uint64_t version) {
    EXPECT_TRUE(Eventually([&] { return follower.Newest("") >= version; }))
        << "version " << version << ", newest is " << follower.Newest("");
    return follower.Take(version).value();
  }
  static float W(FollowerTransport& follower, uint64_t version) {
    return Floats(TakeWhenThere(follower, version)->values[0])[0];
  }

  std::optional<RedisServer> server_;
};

TEST_F(RedisTransportTest, AVersionArrivesWhole) {
  auto publisher = Publisher();
  EXPECT_EQ(Publish(*publisher, 3, 100), 1u);
  auto follower = Follower();
  EXPECT_EQ(follower->announcement().signature, Announced().signature);
  EXPECT_EQ(follower->announcement().graph, Announced().graph);
  const auto held = TakeWhenThere(*follower, 1);
  EXPECT_EQ(held->info.id, (VersionId{7, 1, 3}));
  EXPECT_EQ(held->info.metrics.at("loss"), 0.5);
  EXPECT_THAT(Floats(held->values[0]), ElementsAre(3, 3));
  EXPECT_TRUE(held->values[1].BitwiseEquals(Values(3, 100)[1]));
  EXPECT_TRUE(follower->connected());
}

TEST_F(RedisTransportTest, EveryByteBecomesABool) {
  const Announcement bools = {7, {{"b", kBool, Shape{4}}}, "graph"};
  auto publisher = OpenPublisher("redis", Location(), bools, {}, false).value();
  Tensor odd(kBool, Shape{4});
  std::memcpy(odd.raw_data(), "\0\1\2\xff", 4);
  const uint64_t version = publisher->Publish({}, std::vector{odd}, {}, nullptr).value();
  const Tensor read = TakeWhenThere(*Follower(), version)->values[0];
  EXPECT_EQ(std::string(static_cast<const char*>(read.raw_data()), 4), std::string("\0\1\1\1", 4));
}

TEST_F(RedisTransportTest, NotificationsAnnounceVersions) {
  auto publisher = PublisherWith("poll=3600");
  auto follower = Connect(Location("poll=3600")).value();
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(W(*follower, Publish(*publisher, i)), i);
}

TEST_F(RedisTransportTest, NotificationsMayBeMissed) {
  server_->Ask({"ACL", "SETUSER", "reader", "on", ">pw", "~*", "resetchannels", "+@all"});
  auto publisher = Publisher();
  auto follower = Connect(StrCat("//reader:pw@", server_->where(), "/m?", kOptions)).value();
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(W(*follower, Publish(*publisher, i)), i);
}

TEST_F(RedisTransportTest, NothingIsPublished) {
  const Status status = Connect(Location()).status();
  EXPECT_TRUE(IsNotFound(status)) << status.ToString();
  server_->Kill();
  EXPECT_TRUE(IsUnavailable(Connect(Location()).status()));
}

TEST_F(RedisTransportTest, OnlyWhatHasChangedIsSent) {
  auto publisher = Publisher({.retained = 3});
  auto follower = Follower();
  const auto sent = [&](uint64_t version) {
    return Eventually([&] { return publisher->stats().version == version; });
  };
  const auto first = TakeWhenThere(*follower, Publish(*publisher, 1));
  ASSERT_TRUE(sent(1));
  const uint64_t all = publisher->stats().bytes_copied;
  EXPECT_EQ(all, 2 * 4 + 700 * 4u);
  const auto second = TakeWhenThere(*follower, Publish(*publisher, 2));
  ASSERT_TRUE(sent(2));
  EXPECT_EQ(publisher->stats().bytes_copied - all, 2 * 4u);
  EXPECT_EQ(first->values[1].buffer().get(), second->values[1].buffer().get());
  EXPECT_THAT(Floats(first->values[0]), ElementsAre(1, 1));
  EXPECT_THAT(Floats(second->values[0]), ElementsAre(2, 2));
}

TEST_F(RedisTransportTest, OnlyTheRetainedVersionsStay) {
  auto publisher = Publisher({.retained = 2});
  auto follower = Follower();
  for (int i = 1; i <= 5; ++i) W(*follower, Publish(*publisher, i, i * 1000));
  EXPECT_THAT(follower->Versions(), ElementsAre(4, 5));
  EXPECT_EQ(W(*follower, 4), 4);
  // Older versions are only kept for followers that are reading them.
  for (const std::string& key : server_->KeysLike("ramet:{m}:version:7:[123]")) {
    EXPECT_TRUE(Eventually([&] {
      return std::stoll(server_->Ask({"PTTL", key})) <= 30'000;
    })) << key;
  }
}

TEST_F(RedisTransportTest, LabelsRollbackStatusAndHashesFromTheOtherSide) {
  auto publisher = Publisher({.retained = 4});
  auto follower = Follower();
  for (int i = 1; i <= 3; ++i) W(*follower, Publish(*publisher, i));
  ASSERT_TRUE(follower->Promote("stable", 2).ok());
  EXPECT_TRUE(Eventually([&] { return follower->Newest("stable") == 2; }));
  EXPECT_TRUE(IsNotFound(follower->Promote("stable", 9)));
  EXPECT_EQ(follower->Rollback(1).value(), 4u);
  const auto again = TakeWhenThere(*follower, 4);
  EXPECT_EQ(again->info.rollback_to, 1u);
  EXPECT_THAT(Floats(again->values[0]), ElementsAre(1, 1));
  const PublisherStats stats = follower->PublisherStatus().value();
  EXPECT_EQ(stats.version, 4u);
  EXPECT_EQ(stats.labels.at("stable"), 2u);
  const VersionHashes hashes = follower->Hashes(2, Clock::now() + 30s).value();
  EXPECT_EQ(hashes.content, ContentHash(Announced().signature, Values(2, 0)));
  EXPECT_EQ(hashes.source, hashes.content);
  EXPECT_TRUE(IsNotFound(follower->Hashes(77, Clock::now() + 30s).status()));
  publisher.reset();
  EXPECT_EQ(follower->Hashes(2, Clock::now() + 30s).value(), hashes);
  EXPECT_TRUE(IsUnavailable(follower->Promote("stable", 3)));
}

// The versions of the previous publisher have the same numbers and different values.
TEST_F(RedisTransportTest, ANewPublisherDoesNotAnswerForThePreviousOne) {
  auto publisher = Publisher({}, 7);
  W(*Follower(), Publish(*publisher, 1));
  auto follower = Follower();
  publisher.reset();
  publisher = Publisher({}, 8);
  W(*Follower(), Publish(*publisher, 2));
  EXPECT_TRUE(IsUnavailable(follower->Hashes(1, Clock::now() + 30s).status()));
  EXPECT_TRUE(IsUnavailable(follower->Promote("stable", 1)));
  EXPECT_TRUE(IsUnavailable(follower->Rollback(1).status()));
  EXPECT_TRUE(IsUnavailable(follower->PublisherStatus().status()));
  EXPECT_TRUE(publisher->stats().labels.empty());
}

TEST_F(RedisTransportTest, ALabelKeepsItsVersion) {
  auto publisher = Publisher();
  auto follower = Follower();
  const uint64_t first = Publish(*publisher, 1);
  ASSERT_TRUE(publisher->Promote("stable", first).ok());
  for (int i = 2; i <= 4; ++i) W(*follower, Publish(*publisher, i));
  EXPECT_THAT(follower->Versions(), ElementsAre(1, 4));
  EXPECT_EQ(W(*follower, 1), 1);
  EXPECT_TRUE(IsNotFound(publisher->Promote("stable", 2)));
  EXPECT_EQ(publisher->Rollback(1).value(), 5u);
  EXPECT_EQ(W(*follower, 5), 1);
}

TEST_F(RedisTransportTest, ACutConnectionIsRestored) {
  auto publisher = Publisher();
  auto follower = Follower();
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(W(*follower, Publish(*publisher, i)), i);
    server_->Ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    server_->Ask({"CLIENT", "KILL", "TYPE", "pubsub"});
  }
  EXPECT_EQ(W(*follower, Publish(*publisher, 6)), 6);
}

TEST_F(RedisTransportTest, AVersionWhoseReplyIsLostIsNotSentAgain) {
  CuttingRelay relay(server_->port());
  const std::string location = StrCat("//127.0.0.1:", relay.port(), "/m?", kOptions);
  auto publisher = OpenPublisher("redis", location, Announced(), {.retained = 3}, false).value();
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  const size_t before = server_->KeysLike("ramet:{m}:blob:*").size();
  relay.LoseReplyTo("'PUBLISH', ARGV[5]");
  EXPECT_EQ(W(*follower, Publish(*publisher, 2)), 2);
  EXPECT_TRUE(Eventually([&] { return publisher->stats().version == 2; }));
  EXPECT_EQ(relay.cuts(), 1);
  EXPECT_EQ(server_->KeysLike("ramet:{m}:blob:*").size(), before + 1);
  EXPECT_EQ(publisher->Rollback(1).value(), 3u);
  EXPECT_EQ(W(*follower, 3), 1);
  EXPECT_EQ(publisher->stats().published, 3u);
  EXPECT_EQ(publisher->stats().skipped, 0u);
}

TEST_F(RedisTransportTest, AFlushedServerGetsEverythingAgain) {
  auto publisher = PublisherWith("lease=3&chunk=1024", {.retained = 2});
  auto follower = Follower();
  const auto before = TakeWhenThere(*follower, Publish(*publisher, 1, 10));
  ASSERT_TRUE(publisher->Promote("stable", 1).ok());
  for (int i = 0; i < 2; ++i) {
    server_->Ask({"FLUSHALL"});
    ASSERT_TRUE(Eventually([&] { return server_->Ask({"EXISTS", "ramet:{m}:state"}) == "1"; }));
    const auto late = Connect(Location()).value();
    EXPECT_EQ(late->Newest("stable"), 1u);
    EXPECT_TRUE(TakeWhenThere(*late, 1)->values[1].BitwiseEquals(before->values[1]));
  }
  const auto after = TakeWhenThere(*follower, Publish(*publisher, 2, 10));
  EXPECT_EQ(after->values[1].buffer().get(), before->values[1].buffer().get());
}

TEST_F(RedisTransportTest, OneLostKeyIsNoticedAndSentAgain) {
  auto publisher = PublisherWith("lease=1&ttl=3&chunk=1024");
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  const std::string key = server_->KeysLike("ramet:{m}:blob:7:*:2").front();
  server_->Ask({"DEL", key});
  EXPECT_TRUE(Eventually([&] { return server_->Ask({"EXISTS", key}) == "1"; }));
}

TEST_F(RedisTransportTest, ARestartedServerGetsEverythingAgain) {
  auto publisher = Publisher();
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  server_->Kill();
  EXPECT_TRUE(Eventually([&] { return !follower->connected(); }));
  EXPECT_FALSE(follower->ended());
  EXPECT_TRUE(IsUnavailable(follower->Take(1).status()));
  for (int i = 2; i <= 4; ++i) Publish(*publisher, i);
  server_->Start();
  EXPECT_EQ(W(*follower, 4), 4);
  EXPECT_TRUE(Eventually([&] { return follower->connected(); }));
}

TEST_F(RedisTransportTest, OneNameHasOnePublisher) {
  auto publisher = Publisher();
  const Status second = OpenPublisher("redis", Location(), Announced(8), {}, false).status();
  EXPECT_TRUE(IsAlreadyExists(second)) << second.ToString();
  EXPECT_THAT(second.message(), HasSubstr("redis://127.0.0.1"));
  publisher.reset();
  EXPECT_TRUE(OpenPublisher("redis", Location(), Announced(8), {}, false).ok());
}

TEST_F(RedisTransportTest, TheNameOfADeadPublisherIsFreeAfterItsLease) {
  server_->Ask({"SET", "ramet:{m}:lock", "somebody", "PX", "3000"});
  EXPECT_TRUE(IsAlreadyExists(OpenPublisher("redis", Location(), Announced(), {}, false).status()));
  EXPECT_TRUE(
      Eventually([&] { return OpenPublisher("redis", Location(), Announced(), {}, false).ok(); }));
}

TEST_F(RedisTransportTest, ALeaseThatRunsOutAtOnceIsTakenAgain) {
  std::atomic<bool> begun = false;
  std::thread time([&] {
    const auto deadline = Clock::now() + 10s;
    for (int i = 0; i < 2; ++i) {
      while (server_->Ask({"DEL", "ramet:{m}:lock"}) != "1" && Clock::now() < deadline) {
        begun = true;
      }
    }
  });
  while (!begun) std::this_thread::yield();
  auto publisher = Publisher();
  time.join();
  EXPECT_EQ(W(*Follower(), Publish(*publisher, 1)), 1);
}

TEST_F(RedisTransportTest, ATakeoverEndsTheFormerPublisher) {
  auto former = Publisher();
  auto follower = Follower();
  W(*follower, Publish(*former, 1));
  auto publisher = OpenPublisher("redis", Location(), Announced(8), {}, true).value();
  EXPECT_TRUE(Eventually([&] { return follower->ended(); }));
  EXPECT_TRUE(Eventually(
      [&] { return IsAborted(former->Publish({}, Values(5, 5), {}, nullptr).status()); }));
  Publish(*publisher, 2);
  former.reset();
  auto next = Follower();
  EXPECT_EQ(next->announcement().epoch, 8u);
  EXPECT_EQ(W(*next, 1), 2);
}

// Ends the calls of this thread when a key is on the server.
class EndsWhenThere final : public RunInterrupt {
 public:
  EndsWhenThere(RedisServer& server, std::string key)
      : RunInterrupt(false), server_(server), key_(std::move(key)) {
    Request();
  }

 private:
  bool Due() override {
    Request();
    return server_.Ask({"EXISTS", key_}) == "1";
  }
  RedisServer& server_;
  const std::string key_;
};

TEST_F(RedisTransportTest, AnInterruptedPublisherGivesUpTheName) {
  for (const bool takeover : {false, true}) {
    for (const std::string_view key : {"ramet:{m}:lock", "ramet:{m}:blob:7:1:0"}) {
      server_->Ask({"FLUSHALL"});
      const EndsWhenThere interrupt(*server_, std::string(key));
      const Status status = OpenPublisher("redis", Location(), Announced(), {}, takeover).status();
      ASSERT_TRUE(IsCancelled(status)) << status.ToString();
      EXPECT_EQ(server_->Ask({"EXISTS", "ramet:{m}:lock"}), "0") << key;
    }
  }
  Publisher();
}

TEST_F(RedisTransportTest, AnEndedPublisherLeavesValuesForAWhile) {
  auto publisher = Publisher();
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  Publish(*publisher, 2);
  publisher.reset();
  EXPECT_TRUE(Eventually([&] { return !follower->connected(); }));
  auto late = Follower();
  EXPECT_EQ(W(*late, 2), 2);
  EXPECT_FALSE(late->connected());
  const auto keys = server_->KeysLike("*");
  EXPECT_GT(keys.size(), 4u);
  for (const std::string& key : keys) EXPECT_NE(server_->Ask({"PTTL", key}), "-1") << key;
}

TEST_F(RedisTransportTest, NothingIsLeftInTheEnd) {
  auto publisher = PublisherWith("lease=1&ttl=3");
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  publisher.reset();
  EXPECT_TRUE(Eventually([&] { return server_->Ask({"DBSIZE"}) == "0"; }));
  EXPECT_TRUE(Eventually([&] { return follower->Newest("") == 0; }));
}

TEST_F(RedisTransportTest, ANewEpochRemovesTheOldOne) {
  auto publisher = Publisher();
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  publisher.reset();
  publisher = Publisher({}, 8);
  EXPECT_TRUE(Eventually([&] { return follower->ended(); }));
  auto next = Follower();
  EXPECT_EQ(W(*next, Publish(*publisher, 2)), 2);
  publisher.reset();
  for (const std::string& key : server_->KeysLike("ramet:{m}:*:7:*")) {
    EXPECT_LE(std::stoll(server_->Ask({"PTTL", key})), 30'000) << key;
  }
}

TEST_F(RedisTransportTest, PasswordsAreNeededAndNotShown) {
  server_->Ask({"CONFIG", "SET", "requirepass", "s3cret"});
  server_->set_password("s3cret");
  const Status without = OpenPublisher("redis", Location(), Announced(), {}, false).status();
  EXPECT_TRUE(IsPermissionDenied(without)) << without.ToString();
  const Status wrong = Connect(StrCat("//:wr0ng@", server_->where(), "/m")).status();
  EXPECT_TRUE(IsPermissionDenied(wrong)) << wrong.ToString();
  EXPECT_THAT(wrong.message(), Not(HasSubstr("wr0ng")));
  const std::string location = StrCat("//default:s3cret@", server_->where(), "/m");
  auto publisher = OpenPublisher("redis", location, Announced(), {}, false).value();
  setenv("RAMET_REDIS_PASSWORD", "s3cret", 1);
  auto follower = Connect(Location());
  unsetenv("RAMET_REDIS_PASSWORD");
  ASSERT_TRUE(follower.ok()) << follower.status().ToString();
  EXPECT_EQ(W(**follower, Publish(*publisher, 1)), 1);
}

TEST_F(RedisTransportTest, AReaderMayOnlyRead) {
  server_->Ask({"ACL", "SETUSER", "reader", "on", ">pw", "~ramet:*", "&ramet:*", "-@all", "+get",
                "+subscribe", "+auth"});
  auto publisher = Publisher();
  auto follower = Connect(StrCat("//reader:pw@", server_->where(), "/m?", kOptions)).value();
  EXPECT_EQ(W(*follower, Publish(*publisher, 1)), 1);
  const Status promoted = follower->Promote("stable", 1);
  EXPECT_TRUE(IsPermissionDenied(promoted)) << promoted.ToString();
}

TEST_F(RedisTransportTest, APublisherWithoutPermissionForRequestsStillPublishes) {
  server_->Ask({"ACL", "SETUSER", "trainer", "on", ">pw", "~ramet:*", "&ramet:*", "-@all", "+get",
                "+set", "+pttl", "+pexpire", "+unlink", "+del", "+eval", "+publish", "+auth"});
  const std::string location = StrCat("//trainer:pw@", server_->where(), "/m?", kOptions);
  auto publisher = OpenPublisher("redis", location, Announced(), {}, false).value();
  auto follower = Follower();
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(W(*follower, Publish(*publisher, i)), i);
  EXPECT_TRUE(publisher->Promote("stable", 3).ok());
}

TEST_F(RedisTransportTest, CompressionWhereItHelps) {
  auto publisher = PublisherWith("zstd=3&chunk=1024");
  auto follower = Follower();
  std::vector<Tensor> values = Values(1, 0);
  values[1] = Tensor::Vector(std::vector<float>(700, 2.5f));
  const uint64_t version = publisher->Publish({}, values, {}, nullptr).value();
  EXPECT_TRUE(TakeWhenThere(*follower, version)->values[1].BitwiseEquals(values[1]));
  EXPECT_LT(publisher->stats().bytes_copied, 500u);
}

TEST_F(RedisTransportTest, DamageIsFoundAndTheNextVersionIsGood) {
  auto publisher = PublisherWith("lease=60&chunk=1024");
  auto follower = Follower();
  Publish(*publisher, 1);
  EXPECT_TRUE(Eventually([&] { return follower->Newest("") == 1; }));
  const auto chunks = server_->KeysLike("ramet:{m}:blob:7:[3-9]:1");
  for (const std::string& key : chunks) server_->Ask({"SETRANGE", key, "17", "damage"});
  const Status damaged = follower->Take(1).status();
  EXPECT_TRUE(IsDataLoss(damaged)) << damaged.ToString();
  EXPECT_THAT(damaged.message(), HasSubstr("'big'"));
  EXPECT_EQ(W(*follower, Publish(*publisher, 2, 5)), 2);

  for (const std::string& key : server_->KeysLike("ramet:{m}:blob:7:[3-9]:1")) {
    server_->Ask({"SET", key, "short"});
  }
  auto other = Follower();
  EXPECT_TRUE(IsDataLoss(other->Take(2).status()));

  server_->Ask({"SETRANGE", "ramet:{m}:version:7:2", "20", "x"});
  EXPECT_TRUE(IsDataLoss(other->Take(2).status()));
  server_->Ask({"SET", "ramet:{m}:version:7:2", std::string(1 << 20, 'x')});
  const Status long_one = other->Take(2).status();
  EXPECT_TRUE(IsResourceExhausted(long_one)) << long_one.ToString();
  EXPECT_EQ(W(*other, Publish(*publisher, 3, 6)), 3);

  server_->Ask({"SET", "ramet:{m}:state", "nonsense"});
  EXPECT_TRUE(IsDataLoss(Connect(Location()).status()));
}

TEST_F(RedisTransportTest, ADamagedStateIsWrittenAgain) {
  auto publisher = PublisherWith("lease=1&chunk=1024");
  W(*Follower(), Publish(*publisher, 1));
  server_->Ask({"SET", "ramet:{m}:state", "nonsense"});
  EXPECT_TRUE(Eventually([&] { return Connect(Location()).ok(); }));
  EXPECT_EQ(W(*Follower(), 1), 1);
}

TEST_F(RedisTransportTest, MoreThanTheLimitIsRefusedOnBothSides) {
  auto publisher =
      OpenPublisher("redis", Location(), Announced(), {.max_bytes = 100}, false).value();
  EXPECT_TRUE(IsResourceExhausted(publisher->Publish({}, Values(1, 1), {}, nullptr).status()));
  EXPECT_EQ(publisher->stats().skipped, 1u);
  const Status follower = Connect(Location("max_bytes=1000")).status();
  EXPECT_TRUE(IsResourceExhausted(follower)) << follower.ToString();
}

TEST_F(RedisTransportTest, AFullServerDoesNotStopTheTrainer) {
  auto publisher = Publisher();
  auto follower = Follower();
  W(*follower, Publish(*publisher, 1));
  server_->Ask({"CONFIG", "SET", "maxmemory", "1"});
  Publish(*publisher, 2, 50);
  EXPECT_TRUE(Eventually([&] { return publisher->stats().skipped == 1; }));
  EXPECT_EQ(follower->Newest(""), 1u);
  server_->Ask({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(W(*follower, Publish(*publisher, 3, 50)), 3);
}

TEST_F(RedisTransportTest, TheNewestWinsWhileTheServerIsAway) {
  auto publisher = Publisher();
  server_->Kill();
  for (int i = 1; i <= 50; ++i) Publish(*publisher, i);
  server_->Start();
  ASSERT_TRUE(Eventually([&] { return publisher->stats().version == 50; }));
  EXPECT_GE(publisher->stats().skipped, 48u);
  EXPECT_EQ(W(*Follower(), 50), 50);
}

TEST_F(RedisTransportTest, WaitingPublishersSkipNothing) {
  auto publisher = Publisher({.at_limit = RetentionOptions::AtLimit::kWait});
  for (int i = 1; i <= 100; ++i) Publish(*publisher, i, i);
  ASSERT_TRUE(Eventually([&] { return publisher->stats().version == 100; }));
  EXPECT_EQ(publisher->stats().published, 100u);
  EXPECT_EQ(publisher->stats().skipped, 0u);
}

TEST_F(RedisTransportTest, AWaitEndsWithAChangeOrAnInterrupt) {
  auto publisher = Publisher();
  auto follower = Follower();
  uint64_t seen = 0;
  follower->Wait(&seen, Clock::now() + 30s);
  std::thread trainer([&] { Publish(*publisher, 1); });
  while (follower->Newest("") == 0) follower->Wait(&seen, Clock::now() + 30s);
  trainer.join();
  std::thread closer([&] { follower->Interrupt(); });
  const auto far = Clock::now() + 1h;
  while (!IsCancelled(follower->Hashes(1, far).status())) follower->Wait(&seen, far);
  closer.join();
}

TEST_F(RedisTransportTest, KeysOfAClusterAreOnOneNode) {
  server_.reset();
  auto options = [](int bus) {
    return std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-port", StrCat(bus)};
  };
  const int bus = FreePort();
  server_.emplace(options(FreePort()));
  RedisServer other(options(bus));
  // The other server has all slots, so the first one redirects to it.
  other.Ask({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  server_->Ask({"CLUSTER", "MEET", "127.0.0.1", StrCat(other.port()), StrCat(bus)});
  ASSERT_TRUE(Eventually([&] {
    return server_->Ask({"GET", "ramet:{m}:lock"}).starts_with("MOVED") &&
           other.Ask({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
  }));
  auto publisher = Publisher();
  auto follower = Follower();
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(W(*follower, Publish(*publisher, i)), i);
  EXPECT_NE(other.Ask({"DBSIZE"}), "0");
}

TEST_F(RedisTransportTest, ManyFollowersAndVersionsStayWhole) {
  auto publisher = Publisher({.retained = 2});
  Publish(*publisher, 1, 1);
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0, taken = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&] {
      auto follower = Follower();
      while (!done || taken == 0) {
        const auto held = follower->Take(follower->Newest(""));
        if (!held.ok()) continue;
        const auto w = Floats((*held)->values[0]);
        torn += w[0] != w[1] || Floats((*held)->values[1])[0] != w[0] ||
                (*held)->info.id.step != static_cast<int64_t>(w[0]);
        ++taken;
      }
    });
  }
  for (int i = 2; i < 300; ++i) Publish(*publisher, i, i);
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace ramet::redis
