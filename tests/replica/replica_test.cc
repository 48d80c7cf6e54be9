// Tests of a publisher and its followers over shared memory, all in this process.
#include "replica_testing.h"

#include <atomic>
#include <thread>

namespace ramet {
namespace {

TEST_F(ReplicaTest, AFollowerNeedsNothingButTheAddress) {
  Publisher publisher = Publish();
  session_->Run(add_).value();
  EXPECT_EQ(publisher.Publish({.step = 7}).value(), 1u);
  Follower follower = Follower::Open(Address()).value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(follower.current().id.version, 1u);
  EXPECT_EQ(follower.current().id.step, 7);
}

TEST_F(ReplicaTest, AnUpdateIsSeenByTheNextRun) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  for (int i = 1; i <= 20; ++i) {
    session_->Run(add_).value();
    const uint64_t version = publisher.Publish({.step = i}).value();
    EXPECT_EQ(follower.Wait(version, 30s).value().id.step, i);
    EXPECT_THAT(Values(follower.session()), ElementsAre(i, i, i, i));
  }
}

TEST_F(ReplicaTest, PublishedBuffersAreNeverWritten) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  for (int i = 0; i < 5; ++i) session_->Run(add_).value();
  publisher.Publish().value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
  follower.Update().value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(5, 5, 5, 5));
}

TEST_F(ReplicaTest, ARunTellsItsVersion) {
  Publisher publisher = Publish();
  publisher.Publish({.step = 3}).value();
  Follower follower = Follower::Open(Address()).value();
  RunMetadata metadata;
  follower.session().Run({{"x:0", Ones()}}, {"y:0"}, RunOptions(), &metadata).value();
  EXPECT_EQ(metadata.version.version, 1u);
  EXPECT_EQ(metadata.version.step, 3);
  EXPECT_EQ(metadata.version.epoch, publisher.stats().epoch);
}

TEST_F(ReplicaTest, AnAssignmentInAFollowerLastsUntilTheNextVersion) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  follower.session().Run("add").value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(*session_), ElementsAre(0, 0, 0, 0));
  const uint64_t version = publisher.Publish().value();
  follower.Wait(version, 30s).value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
}

TEST_F(ReplicaTest, SignaturesComeWithTheGraph) {
  const std::string scale = SerializeSignature(MakeSignature({{"in", x_}}, {{"out", y_}})).value();
  Publisher publisher = Publish({.signature_defs = {{"scale", scale}}});
  Follower follower = Follower::Open(Address()).value();
  EXPECT_EQ(ParseSignature(follower.signature_defs().at("scale")).value().outputs.at("out").name,
            "y:0");
}

TEST_F(ReplicaTest, SignaturesOfAPartUnderAScope) {
  const auto signature = [](const Output& in, const Output& out) {
    return SerializeSignature(MakeSignature({{"in", in}}, {{"out", out}})).value();
  };
  Publisher publisher =
      Publish({.signature_defs = {{"scale", signature(x_, y_)}, {"train", signature(x_, add_)}}});
  Follower follower = Follower::Open(Address(), {.scope = "copy", .outputs = {"y:0"}}).value();
  EXPECT_EQ(follower.signature_defs().size(), 1u);
  EXPECT_EQ(ParseSignature(follower.signature_defs().at("scale")).value().inputs.at("in").name,
            "copy/x:0");
}

TEST_F(ReplicaTest, WrongSignatures) {
  const auto why = [this](const PublisherOptions& options) {
    return Publisher::Open(Address(), *session_, options).status().ToString();
  };
  EXPECT_THAT(why({.signature_defs = {{"s", "\xff"}}}), HasSubstr("signature 's' is not"));
  Signature signature;
  signature.inputs["in"] = {.name = "absent:0", .dtype = kFloat, .shape = {}};
  const std::string absent = SerializeSignature(signature).value();
  EXPECT_THAT(why({.signature_defs = {{"s", absent}}}),
              HasSubstr("signature 's' names the tensor 'absent:0', which the published graph"));
  EXPECT_THAT(why({.graph = false, .signature_defs = {{"s", ""}}}), HasSubstr("graph=true"));
}

TEST_F(ReplicaTest, PublishesAutomatically) {
  Publisher publisher = Publish({.every_steps = 2});
  for (int i = 0; i < 6; ++i) session_->Run(add_).value();
  EXPECT_EQ(publisher.stats().version, 3u);
}

TEST_F(ReplicaTest, ASecondPublisherIsRefused) {
  Publisher publisher = Publish();
  const auto second = Publisher::Open(Address(), *session_);
  EXPECT_TRUE(IsAlreadyExists(second.status())) << second.status().ToString();
}

TEST_F(ReplicaTest, NobodyPublishes) {
  const auto follower = Follower::Open(Address(), {.wait = 20ms});
  EXPECT_TRUE(IsDeadlineExceeded(follower.status()));
  EXPECT_THAT(follower.status().message(), HasSubstr(Address()));
}

TEST_F(ReplicaTest, AFollowerMayWaitForThePublisher) {
  std::optional<Publisher> publisher;
  std::thread trainer([&] {
    std::this_thread::sleep_for(50ms);
    publisher.emplace(Publish());
    publisher->Publish().value();
  });
  auto follower = Follower::Open(Address(), {.wait = 30s}).value();
  EXPECT_EQ(follower.Wait(1, 30s).value().id.version, 1u);
  trainer.join();
}

TEST_F(ReplicaTest, TheLastVersionOutlivesThePublisher) {
  std::optional<Publisher> publisher(Publish());
  session_->Run(add_).value();
  publisher->Publish().value();
  Follower follower = Follower::Open(Address()).value();
  publisher.reset();
  for (int i = 0; i < 3; ++i) session_->Run(add_).value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(*session_), ElementsAre(4, 4, 4, 4));
}

TEST_F(ReplicaTest, ANewPublisherIsFollowedInANewEpoch) {
  std::optional<Publisher> publisher(Publish());
  publisher->Publish().value();
  Follower follower = Follower::Open(Address()).value();
  const VersionId before = follower.current().id;
  publisher.reset();
  session_->Run(add_).value();
  publisher.emplace(Publish());
  publisher->Publish().value();
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (follower.current().id.epoch == before.epoch &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GT(follower.current().id.epoch, before.epoch);
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
}

TEST_F(ReplicaTest, PinAndUnpin) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  ASSERT_TRUE(follower.Pin(1).ok());
  for (int i = 0; i < 5; ++i) {
    session_->Run(add_).value();
    publisher.Publish().value();
  }
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(follower.stats().lag, 5u);
  follower.Unpin();
  EXPECT_THAT(Values(follower.session()), ElementsAre(5, 5, 5, 5));
  const Status gone = follower.Pin(1);
  EXPECT_TRUE(IsNotFound(gone));
  EXPECT_THAT(
      gone.message(),
      HasSubstr(
          "version 1 is not kept (kept: 6); the publisher keeps 1 version, 'retained' keeps more"));
}

TEST_F(ReplicaTest, LabelsKeepTheirVersion) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Follower stable = Follower::Open(Address() + "@stable").value();
  for (int i = 0; i < 3; ++i) {
    session_->Run(add_).value();
    publisher.Publish().value();
  }
  EXPECT_THAT(Values(stable.session()), ElementsAre(0, 0, 0, 0));
  ASSERT_TRUE(publisher.Promote("stable", 4).ok());
  stable.Wait(4, 30s).value();
  EXPECT_THAT(Values(stable.session()), ElementsAre(3, 3, 3, 3));
  EXPECT_TRUE(IsNotFound(publisher.Promote("stable", 2)));
}

TEST_F(ReplicaTest, UnsuitableVariablesAreRefused) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Graph graph;
  Scope scope(graph);
  scope.GetVariable("w", {5}, Zeros());
  scope.GetVariable("v", {2}, Zeros());
  Session session = Session::Create(graph).value();
  const auto follower = Follower::Open(Address(), {.session = &session});
  EXPECT_TRUE(IsFailedPrecondition(follower.status()));
  EXPECT_THAT(follower.status().message(),
              HasSubstr("'w' is float[5] in the graph and float[4] as published"));
  EXPECT_THAT(follower.status().message(), HasSubstr("'v' (float[2]) is not published"));
}

TEST_F(ReplicaTest, PublishingFromWithinARunIsRefused) {
  Publisher publisher = Publish();
  Status status;
  ASSERT_TRUE(RegisterHostFunction("publish", [&](std::span<const Tensor>) {
                status = publisher.Publish().status();
                return StatusOr<std::vector<Tensor>>(std::vector<Tensor>{Tensor(1.0f)});
              }).ok());
  const Output inner = PyFunc({x_}, "publish", {kFloat})[0];
  const Output both = AssignAdd(w_.ref(), inner + x_, "both");
  session_->Run({{x_, Ones()}}, both).value();
  UnregisterHostFunction("publish");
  EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
}

// In each version, every element is the same number. Readers check each run.
TEST_F(ReplicaTest, NobodySeesATornVersion) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  std::atomic<bool> done = false;
  std::atomic<int> torn = 0, runs = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 4; ++r) {
    readers.emplace_back([&] {
      Follower follower = Follower::Open(Address()).value();
      while (!done || runs == 0) {
        const auto values = Values(follower.session());
        torn += std::ranges::count(values, values[0]) != 4;
        ++runs;
      }
    });
  }
  for (int i = 0; i < 3000; ++i) {
    session_->Run(add_).value();
    (void)publisher.Publish();
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(runs, 0);
}

}  // namespace
}  // namespace ramet
