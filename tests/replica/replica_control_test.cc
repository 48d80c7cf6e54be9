// Tests of labels, rollback, history, takeover, limits, several models, and statistics.
#include "replica_testing.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

class ReplicaControlTest : public ReplicaTest {
 protected:
  // Publishes `count` versions and adds 1 to w before each of them.
  static void Versions(ReplicaControlTest& test, Publisher& publisher, int count) {
    for (int i = 0; i < count; ++i) {
      test.session_->Run(test.add_).value();
      publisher.Publish({.step = 100 + i}).value();
    }
  }
};

TEST_F(ReplicaControlTest, RollbackIsANewVersionThatSaysSo) {
  Publisher publisher = Publish({.retention = {.retained = 3}});
  Versions(*this, publisher, 2);
  Follower follower = Follower::Open(Address()).value();
  EXPECT_EQ(publisher.Rollback(1).value(), 3u);
  const VersionInfo info = follower.Wait(3, 30s).value();
  EXPECT_EQ(info.rollback_to, 1u);
  EXPECT_EQ(info.id.step, 100);
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(*session_), ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(follower.Hashes(3, 30s).value(), follower.Hashes(1, 30s).value());
  Versions(*this, publisher, 1);
  EXPECT_EQ(follower.Wait(4, 30s).value().rollback_to, 0u);
  EXPECT_THAT(Values(follower.session()), ElementsAre(3, 3, 3, 3));
  const Status gone = publisher.Rollback(1).status();
  EXPECT_TRUE(IsNotFound(gone));
  EXPECT_THAT(gone.message(), HasSubstr("version 1 is not kept"));
}

TEST_F(ReplicaControlTest, TheErrorOfAWaitSaysWhatIsMissing) {
  Publisher publisher = Publish();
  const auto error = [&](const std::string& label) {
    Follower follower = Follower::Open(Address() + label).value();
    return std::string(follower.Wait(7, 0s).status().message());
  };
  EXPECT_THAT(error(""), HasSubstr("nothing is published there yet"));
  Versions(*this, publisher, 1);
  EXPECT_THAT(error(""), HasSubstr("version 7 did not arrive in time; the current version is 1"));
  EXPECT_THAT(error("@stable"), HasSubstr("no version has the label 'stable' yet; give it"));
}

TEST_F(ReplicaControlTest, ATraceDescribesFollowedVariables) {
  Publisher publisher = Publish();
  Versions(*this, publisher, 1);
  Follower follower = Follower::Open(Address()).value();
  RunMetadata metadata;
  ASSERT_TRUE(follower.session().Run({{"x:0", Ones()}}, "y:0", {.trace = true}, &metadata).ok());
  const auto w = std::ranges::find(metadata.steps, "w", &NodeStats::node);
  ASSERT_NE(w, metadata.steps.end());
  ASSERT_EQ(w->outputs.size(), 1u);
  EXPECT_EQ(w->outputs[0].shape, Shape({4}));
}

TEST_F(ReplicaControlTest, AFollowerMayPromoteAndRollBack) {
  Publisher publisher = Publish({.retention = {.retained = 3}});
  Versions(*this, publisher, 2);
  Follower follower = Follower::Open(Address()).value();
  ASSERT_TRUE(follower.Promote("stable and good", 1).ok());
  EXPECT_EQ(publisher.stats().labels.at("stable and good"), 1u);
  EXPECT_EQ(follower.Rollback(1).value(), 3u);
  EXPECT_THAT(follower.Promote("x", 9).message(),
              HasSubstr("version 9 is not kept (kept: 1, 2, 3); the publisher keeps 3 versions"));
  EXPECT_TRUE(IsNotFound(follower.Rollback(9).status()));
  EXPECT_TRUE(IsInvalidArgument(follower.Promote("", 3)));
  const PublisherStats stats = follower.PublisherStatus().value();
  EXPECT_EQ(stats.version, 3u);
  EXPECT_EQ(stats.epoch, publisher.stats().epoch);
  EXPECT_EQ(stats.published, 3u);
  EXPECT_EQ(stats.readers, 1);
  EXPECT_EQ(stats.labels, publisher.stats().labels);
}

TEST_F(ReplicaControlTest, KeptVersionsCanBePinned) {
  Publisher publisher = Publish({.retention = {.retained = 3}});
  Versions(*this, publisher, 5);
  Follower follower = Follower::Open(Address()).value();
  EXPECT_THAT(follower.Versions(), ElementsAre(3, 4, 5));
  for (const uint64_t version : follower.Versions()) {
    ASSERT_TRUE(follower.Pin(version).ok());
    const auto f = static_cast<float>(version);
    EXPECT_THAT(Values(follower.session()), ElementsAre(f, f, f, f));
  }
  EXPECT_TRUE(IsNotFound(follower.Pin(2)));
  EXPECT_EQ(follower.current().id.version, 5u);
  ASSERT_TRUE(follower.Pin(3).ok());
  Versions(*this, publisher, 5);
  EXPECT_THAT(Values(follower.session()), ElementsAre(3, 3, 3, 3));
  follower.Unpin();
  EXPECT_TRUE(IsNotFound(follower.Pin(3)));
}

TEST_F(ReplicaControlTest, MetricsArePublished) {
  Publisher publisher = Publish();
  const double infinity = std::numeric_limits<double>::infinity();
  publisher.Publish({.step = 3, .metrics = {{"loss", 0.1}, {"worst", -infinity}}}).value();
  Follower follower = Follower::Open(Address()).value();
  EXPECT_EQ(follower.current().metrics.at("loss"), 0.1);
  EXPECT_EQ(follower.current().metrics.at("worst"), -infinity);
  EXPECT_GT(follower.current().time_nanos, 0);
  const Status status = publisher.Publish({.metrics = {{std::string(3000, 'x'), 1}}}).status();
  EXPECT_TRUE(IsInvalidArgument(status));
}

TEST_F(ReplicaControlTest, ANewPublisherMayTakeOver) {
  Publisher publisher = Publish({.retention = {.retained = 2}});
  Versions(*this, publisher, 2);
  Follower follower = Follower::Open(Address()).value();
  const uint64_t epoch = follower.current().id.epoch;
  Session other = Session::Create(graph_).value();
  other.Run(scope_.GlobalVariablesInitializer()).value();
  Publisher second = Publisher::Open(Address(), other, {.access = {.takeover = true}}).value();
  EXPECT_GT(second.stats().epoch, epoch);
  EXPECT_THAT(Values(follower.session()), ElementsAre(2, 2, 2, 2));
  const Status ended = publisher.Publish().status();
  EXPECT_EQ(ended.code(), Code::kAborted);
  EXPECT_THAT(ended.message(), HasSubstr("another publisher has taken over"));
  second.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.current().id.epoch > epoch; }));
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
}

TEST_F(ReplicaControlTest, TakeoverWithoutAPublisherStarts) {
  EXPECT_EQ(Publish({.access = {.takeover = true}}).Publish().value(), 1u);
}

// Threads of one process can run as different users.
TEST_F(ReplicaControlTest, ReadersCannotChangeAnything) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: only root can be somebody else";
  ScratchDir folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  const std::string address = StrCat("shm:", folder.path(), "/socket");
  Publisher publisher =
      Publisher::Open(address, *session_, {.access = {.mode = 0604, .group = 1}}).value();
  Versions(*this, publisher, 1);
  std::thread([&] {
    ASSERT_EQ(syscall(SYS_setresuid, 65534, 65534, 65534), 0);
    Follower follower = Follower::Open(address).value();
    EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
    const Status promoted = follower.Promote("stable", 1);
    EXPECT_TRUE(IsPermissionDenied(promoted));
    EXPECT_THAT(promoted.message(), HasSubstr("but not promote"));
    EXPECT_TRUE(IsPermissionDenied(follower.Rollback(1).status()));
    EXPECT_EQ(follower.PublisherStatus().value().version, 1u);
    const auto taken = Publisher::Open(address, *session_, {.access = {.takeover = true}}).status();
    EXPECT_TRUE(IsPermissionDenied(taken)) << taken.ToString();
  }).join();
  EXPECT_EQ(publisher.Publish().value(), 2u);
}

// A test with a variable of one page and room for few versions.
class ReplicaLimitTest : public ReplicaTest {
 protected:
  ReplicaLimitTest() {
    large_ = scope_.GetVariable("large", {kElements}, Zeros());
    Tensor ones(kFloat, {kElements});
    std::ranges::fill(ones.mutable_flat<float>(), 1.0f);
    grow_ = AssignAdd(large_.ref(), Constant(graph_, ones));
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  static constexpr int kElements = 1 << 20;
  static constexpr uint64_t kBytes = kElements * sizeof(float);
  Variable large_;
  Output grow_;
};

TEST_F(ReplicaLimitTest, TrainingGoesOnWhenThereIsNoRoom) {
  Publisher publisher = Publish({.variables = {large_}, .retention = {.max_bytes = 3 * kBytes}});
  publisher.Publish().value();
  std::vector<Follower> followers;
  Status status;
  for (int i = 1; i <= 10 && status.ok(); ++i) {
    followers.push_back(
        Follower::Open(Address(), {.automatic = false, .subsets = {"large"}}).value());
    session_->Run(grow_).value();
    status = publisher.Publish().status();
  }
  EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("is not published"));
  EXPECT_EQ(publisher.stats().skipped, 1u);
  session_->Run(grow_).value();
  const float now = session_->Value(large_).value().data<float>()[0];
  followers.clear();
  uint64_t version = 0;
  EXPECT_TRUE(Eventually([&] {
    auto published = publisher.Publish();
    if (published.ok()) version = *published;
    return published.ok();
  }));
  Follower follower = Follower::Open(Address(), {.subsets = {"large"}}).value();
  EXPECT_EQ(follower.current().id.version, version);
  EXPECT_EQ(follower.session().Run("large:0").value().data<float>()[kElements - 1], now);
}

TEST_F(ReplicaLimitTest, PublishMayWaitForRoom) {
  Publisher publisher = Publish(
      {.variables = {large_},
       .retention = {.max_bytes = 3 * kBytes, .at_limit = RetentionOptions::AtLimit::kWait}});
  publisher.Publish().value();
  std::vector<Follower> followers;
  for (int i = 0; i < 2; ++i) {
    followers.push_back(
        Follower::Open(Address(), {.automatic = false, .subsets = {"large"}}).value());
    session_->Run(grow_).value();
    publisher.Publish().value();
  }
  session_->Run(grow_).value();
  std::thread leaving([&] {
    std::this_thread::sleep_for(30ms);
    followers.clear();
  });
  EXPECT_EQ(publisher.Publish().value(), 4u);
  leaving.join();
  EXPECT_EQ(publisher.stats().skipped, 0u);
}

// A test with two models whose variables have the same name.
class ReplicaModelsTest : public ReplicaTest {
 protected:
  ReplicaModelsTest() : second_(Session::Create(graph_).value()) {
    second_.Run(scope_.GlobalVariablesInitializer()).value();
  }
  std::vector<PublishedModel> Models() {
    return {{.name = "actor", .session = &*session_}, {.name = "critic", .session = &second_}};
  }
  Session second_;
};

TEST_F(ReplicaModelsTest, ShareOneVersion) {
  Publisher publisher = Publisher::Open(Address(), Models()).value();
  session_->Run(add_).value();
  publisher.Publish().value();
  Follower actor = Follower::Open(Address(), {.model = "actor", .automatic = false}).value();
  Follower critic = Follower::Open(Address(), {.model = "critic", .automatic = false}).value();
  EXPECT_THAT(Values(actor.session()), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(critic.session()), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(actor.stats().extra, IsEmpty());
  second_.Run(add_).value();
  second_.Run(add_).value();
  publisher.Publish().value();
  EXPECT_EQ(critic.Update({.verify = true}).value().proof, VersionProof::kProven);
  EXPECT_THAT(Values(critic.session()), ElementsAre(2, 2, 2, 2));
}

TEST_F(ReplicaModelsTest, HaveSignaturesOfTheirOwn) {
  std::vector<PublishedModel> models = Models();
  models[1].signature_defs["value"] = SerializeSignature(MakeSignature({{"in", x_}}, {})).value();
  Publisher publisher = Publisher::Open(Address(), models).value();
  EXPECT_THAT(Follower::Open(Address(), {.model = "actor"}).value().signature_defs(), IsEmpty());
  Follower critic = Follower::Open(Address(), {.model = "critic"}).value();
  const Signature value = ParseSignature(critic.signature_defs().at("value")).value();
  EXPECT_EQ(value.inputs.at("in").name, "x:0");
  const PublisherOptions for_all{.signature_defs = models[1].signature_defs};
  EXPECT_TRUE(IsInvalidArgument(Publisher::Open(Address("b"), Models(), for_all).status()));
}

TEST_F(ReplicaModelsTest, NamesOfModels) {
  Publisher publisher = Publisher::Open(Address(), Models()).value();
  const Status which = Follower::Open(Address()).status();
  EXPECT_TRUE(IsInvalidArgument(which));
  EXPECT_THAT(which.message(), HasSubstr("actor, critic"));
  const Status none = Follower::Open(Address(), {.model = "other"}).status();
  EXPECT_THAT(none.message(),
              HasSubstr("no model 'other' is published; choose one of actor, critic"));
  auto models = Models();
  models[1].name = "actor";
  EXPECT_TRUE(IsInvalidArgument(Publisher::Open(Address(" 2"), models).status()));
  models[1].name = "a/b";
  EXPECT_TRUE(IsInvalidArgument(Publisher::Open(Address(" 2"), models).status()));
}

// The steps of both sessions alternate. No version may have one without the other.
TEST_F(ReplicaModelsTest, NoVersionMixesSteps) {
  Publisher publisher = Publisher::Open(Address(), Models()).value();
  publisher.Publish().value();
  std::atomic<bool> done = false;
  std::thread trainer([&] {
    while (!done) {
      session_->Run(add_).value();
      second_.Run(add_).value();
    }
  });
  Follower actor = Follower::Open(Address(), {.model = "actor", .automatic = false}).value();
  Follower critic = Follower::Open(Address(), {.model = "critic", .automatic = false}).value();
  for (int i = 0; i < 200; ++i) {
    const uint64_t version = publisher.Publish().value();
    ASSERT_TRUE(actor.Pin(version).ok());
    ASSERT_TRUE(critic.Pin(version).ok());
    const float ahead = Values(actor.session())[0] - Values(critic.session())[0];
    EXPECT_TRUE(ahead == 0 || ahead == 1) << ahead;
  }
  done = true;
  trainer.join();
}

TEST_F(ReplicaControlTest, InOneProcessTheMemoryIsTheSame) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.verify = Verify::kOff}).value();
  static_cast<float*>(session_->Value(w_).value().raw_data())[2] = 42;
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 42, 0));
}

TEST_F(ReplicaControlTest, StatsAsJson) {
  Publisher publisher = Publish();
  Versions(*this, publisher, 2);
  publisher.Promote("stable", 2).IgnoreError();
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  follower.Update({.verify = true}).value();
  Versions(*this, publisher, 1);
  const auto theirs = nlohmann::json::parse(StatsToJson(publisher.stats()));
  EXPECT_EQ(theirs["version"], 3);
  EXPECT_EQ(theirs["labels"]["stable"], 2);
  const auto ours = nlohmann::json::parse(StatsToJson(follower.stats()));
  EXPECT_EQ(ours["current"]["version"], 2);
  EXPECT_EQ(ours["current"]["proof"], "proven");
  EXPECT_EQ(ours["current"]["hashes"]["source"].get<std::string>().size(), 32u);
  EXPECT_EQ(ours["lag"], 1);
  EXPECT_GE(ours["lag_seconds"].get<double>(), 0);
  EXPECT_EQ(ours["connected"], true);
}

// Each statistic is in JSON, and each number also among the metrics.
TEST_F(ReplicaControlTest, AllStatsAreInTheTexts) {
  PublisherStats stats;
  stats.labels = {{"stable", 1}};
  const auto json = nlohmann::json::parse(StatsToJson(stats));
  const std::string text = StatsToPrometheus(stats, "shm:x");
  size_t fields = 0;
  ForEachStat(stats, [&](const StatField& field, const auto&) {
    ++fields;
    EXPECT_TRUE(json.contains(std::string(field.name))) << field.name;
    EXPECT_THAT(text, HasSubstr("\n# TYPE ramet_publisher_" + std::string(field.metric)));
    EXPECT_THAT(text, HasSubstr(std::string(field.help)));
  });
  EXPECT_EQ(json.size(), fields);
  const auto ours = nlohmann::json::parse(StatsToJson(FollowerStats()));
  EXPECT_EQ(ours.size(), 15u);
  EXPECT_EQ(ours["current"].size(), 7u);  // no hashes
}

TEST_F(ReplicaControlTest, StatsForPrometheus) {
  Publisher publisher = Publish();
  Versions(*this, publisher, 2);
  publisher.Promote("good \"one\"", 2).IgnoreError();
  const std::string text = StatsToPrometheus(publisher.stats(), "shm:x");
  EXPECT_THAT(text, HasSubstr("# TYPE ramet_publisher_published_total counter\n"
                              "ramet_publisher_published_total{address=\"shm:x\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("ramet_publisher_label_version{address=\"shm:x\",label=\"good "
                              "\\\"one\\\"\"} 2\n"));
  Follower follower = Follower::Open(Address()).value();
  EXPECT_THAT(StatsToPrometheus(follower.stats(), "shm:x"),
              HasSubstr("ramet_follower_version{address=\"shm:x\"} 2\n"));
}

}  // namespace
}  // namespace ramet
