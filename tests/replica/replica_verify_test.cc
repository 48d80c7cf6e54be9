// Tests of the hashes of versions and of followers that verify them.
#include "replica_testing.h"

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

class ReplicaVerifyTest : public ReplicaTest {
 protected:
  // Damages the last published value of w after its hash has been computed.
  void Damage(Follower& asker, uint64_t version) {
    ASSERT_TRUE(asker.Hashes(version, 30s).ok());
    static_cast<float*>(session_->Value(w_).value().raw_data())[0] = 42;
  }
};

TEST_F(ReplicaVerifyTest, TheSourceHashIsThatOfTheCheckpoint) {
  Publisher publisher = Publish();
  session_->Run(add_).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  const VersionHashes hashes = follower.Hashes(1, 30s).value();
  EXPECT_EQ(hashes.source, hashes.content);
  ScratchDir folder;
  Saver saver(graph_);
  const std::string prefix = saver.Save(*session_, folder.path() + "/model").value();
  const auto names = SourceNames(follower.signature());
  EXPECT_EQ(HashCheckpoint(prefix, names).value().whole, hashes.source);
  session_->Run(add_).value();
  const std::string later = saver.Save(*session_, folder.path() + "/later").value();
  const CheckpointHash other = HashCheckpoint(later).value();
  EXPECT_NE(other.whole, hashes.source);
  ASSERT_EQ(other.tensors.size(), 2u);
  EXPECT_EQ(other.tensors[0], HashCheckpoint(prefix).value().tensors[0]);  // step
  EXPECT_NE(other.tensors[1], HashCheckpoint(prefix).value().tensors[1]);  // w
}

// The expected hashes follow docs/formats/version-hash.md and were computed with Python's xxhash.
TEST_F(ReplicaVerifyTest, TheLayoutIsTheDocumentedOne) {
  Set(w_, {1, 2, 3, 4});
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  EXPECT_EQ(follower.Hashes(1, 30s).value().source, "4759915cc4dd280ab6c077fa666a4e6c");
}

TEST_F(ReplicaVerifyTest, UpdateWaitsForTheProof) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower =
      Follower::Open(Address(), {.automatic = false, .verify = Verify::kOff}).value();
  EXPECT_EQ(follower.current().proof, VersionProof::kNotAsked);
  publisher.Publish().value();
  const VersionInfo info = follower.Update({.verify = true}).value();
  EXPECT_EQ(info.id.version, 2u);
  EXPECT_EQ(info.proof, VersionProof::kProven);
  EXPECT_EQ(info.hashes, follower.Hashes(2, 30s).value());
  RunMetadata metadata;
  follower.session().Run({{"x:0", Ones()}}, {"y:0"}, RunOptions(), &metadata).value();
  EXPECT_EQ(metadata.version_proof, VersionProof::kProven);
  EXPECT_EQ(follower.stats().proven, 1u);
}

TEST_F(ReplicaVerifyTest, VersionsAreProvenInTheBackground) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  EXPECT_TRUE(Eventually([&] { return follower.current().proof == VersionProof::kProven; }));
  publisher.Publish().value();
  follower.Wait(2, 30s).value();
  EXPECT_TRUE(Eventually([&] { return follower.current().proof == VersionProof::kProven; }));
}

TEST_F(ReplicaVerifyTest, BeforeUseNeverUsesUnprovenVersions) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.verify = Verify::kBeforeUse}).value();
  for (uint64_t version = 2; version < 50; ++version) {
    publisher.Publish().value();
    RunMetadata metadata;
    follower.session().Run({{"x:0", Ones()}}, {"y:0"}, RunOptions(), &metadata).value();
    EXPECT_EQ(metadata.version_proof, VersionProof::kProven);
  }
}

TEST_F(ReplicaVerifyTest, ADamagedVersionIsRefusedBeforeUse) {
  Publisher publisher = Publish({.retention = {.retained = 2}});
  publisher.Publish().value();
  Follower asker = Follower::Open(Address(), {.verify = Verify::kOff}).value();
  Follower follower =
      Follower::Open(Address(), {.automatic = false, .verify = Verify::kBeforeUse}).value();
  session_->Run(add_).value();
  publisher.Publish().value();
  Damage(asker, 2);
  const Status refused = follower.Update().status();
  EXPECT_TRUE(IsDataLoss(refused)) << refused.ToString();
  EXPECT_THAT(refused.message(), HasSubstr("version 2 differs from what was published"));
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(follower.current().id.version, 1u);
  EXPECT_EQ(follower.stats().refused, 1u);
  EXPECT_TRUE(IsDataLoss(follower.Update().status()));
  EXPECT_EQ(follower.stats().refused, 1u);
  publisher.Publish().value();
}

TEST_F(ReplicaVerifyTest, ADamagedVersionIsReplacedByThePreviousOne) {
  Publisher publisher = Publish({.retention = {.retained = 2}});
  publisher.Publish().value();
  Follower asker = Follower::Open(Address(), {.verify = Verify::kOff}).value();
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  session_->Run(add_).value();
  publisher.Publish().value();
  Damage(asker, 2);
  EXPECT_EQ(follower.Update().value().id.version, 2u);
  EXPECT_TRUE(Eventually([&] { return follower.current().id.version == 1; }));
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(follower.stats().last_refusal,
              HasSubstr("version 2 differs from what was published"));
  EXPECT_TRUE(IsDataLoss(follower.Update().status()));
  Set(w_, {5, 5, 5, 5});
  publisher.Publish().value();
  EXPECT_EQ(follower.Update({.verify = true}).value().id.version, 3u);
  EXPECT_THAT(Values(follower.session()), ElementsAre(5, 5, 5, 5));
}

TEST_F(ReplicaVerifyTest, NobodyCanProveWhenThePublisherIsGone) {
  std::optional<Publisher> publisher(Publish());
  publisher->Publish().value();
  Follower follower =
      Follower::Open(Address(), {.automatic = false, .verify = Verify::kOff}).value();
  publisher.reset();
  const Status status = follower.Update({.verify = true}).status();
  EXPECT_TRUE(IsUnavailable(status)) << status.ToString();
  EXPECT_EQ(follower.stats().refused, 0u);
}

TEST_F(ReplicaVerifyTest, AVersionThatIsNotKeptHasNoHash) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  const Status status = follower.Hashes(7, 30s).status();
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("version 7 is not kept"));
}

TEST_F(ReplicaVerifyTest, AMissingTensorOfACheckpointIsNamed) {
  ScratchDir folder;
  Saver saver(graph_);
  const std::string prefix = saver.Save(*session_, folder.path() + "/model").value();
  const Status status = HashCheckpoint(prefix, std::vector<std::string>{"nothing"}).status();
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("nothing"));
}

}  // namespace
}  // namespace ramet
