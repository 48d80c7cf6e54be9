// Tests of values that are published under different names or with different dtypes.
#include "replica_testing.h"

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

class ReplicaConvertTest : public ReplicaTest {
 protected:
  ReplicaConvertTest() {
    m_ = scope_.GetVariable("train/m", {3, 2}, Zeros());
    Identity(m_.ref(), "m_value");
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  void SetMatrix(const std::vector<float>& values) {
    ASSERT_TRUE(session_->Assign(m_, Tensor::Of<float>({3, 2}, values)).ok());
  }
  static std::vector<float> MatrixOf(Session& session) {
    const Tensor m = session.Run("m_value:0").value();
    return {m.flat<float>().begin(), m.flat<float>().end()};
  }
  // The source hash equals that of a checkpoint of the same moment, whatever was sent.
  void ExpectTheCheckpointsHash(Follower& follower) {
    ScratchDir folder;
    Saver saver(graph_);
    const std::string prefix = saver.Save(*session_, folder.path() + "/model").value();
    const VersionHashes hashes = follower.Hashes(follower.current().id.version, 30s).value();
    const auto names = SourceNames(follower.signature());
    EXPECT_EQ(HashCheckpoint(prefix, names).value().whole, hashes.source);
    EXPECT_NE(hashes.content, hashes.source);
  }
  Variable m_;
};

TEST_F(ReplicaConvertTest, NamesFollowTheFirstRuleThatFits) {
  Publisher publisher = Publish({.rename = {{"train/", "serve/"}, {"", "top/"}}});
  SetMatrix({1, 2, 3, 4, 5, 6});
  publisher.Publish().value();
  Graph graph;
  Scope scope(graph);
  const Variable m = scope.GetVariable("serve/m", {3, 2}, Zeros());
  scope.GetVariable("top/w", {4}, Zeros());
  Identity(m.ref(), "m_value");
  Session session = Session::Create(graph).value();
  Follower follower = Follower::Open(Address(), {.session = &session}).value();
  EXPECT_THAT(MatrixOf(session), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(follower.stats().extra, ElementsAre("top/step"));
  ExpectTheCheckpointsHash(follower);
}

TEST_F(ReplicaConvertTest, TheGraphThatIsPublishedKnowsItsOwnNames) {
  Publisher publisher = Publish({.rename = {{"train/", "serve/"}}});
  SetMatrix({1, 2, 3, 4, 5, 6});
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  EXPECT_THAT(MatrixOf(follower.session()), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(follower.stats().extra, IsEmpty());
}

TEST_F(ReplicaConvertTest, TwoVariablesOfOneNameAreAnError) {
  const Status status =
      Publisher::Open(Address(), *session_, {.rename = {{"train/m", "w"}}}).status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("two variables are published as 'w'"));
}

TEST_F(ReplicaConvertTest, BFloat16AndHalfRoundToNearest) {
  Publisher publisher =
      Publish({.convert = {{"train/", Conversion::kHalf}, {"", Conversion::kBFloat16}}});
  SetMatrix({1, 0.1f, -65504, 2049, 6e-8f, 3});
  Set(w_, {1, 257, -3.14159f, 1e30f});
  session_->Assign(step_, Tensor(int64_t{1} << 40)).IgnoreError();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  EXPECT_THAT(MatrixOf(follower.session()),
              ElementsAre(1, 0.0999755859375f, -65504, 2048, 5.9604644775390625e-08f, 3));
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 256, -3.140625f, 0x1.94p+99f));
  EXPECT_EQ(follower.session().Run("step:0").value().scalar<int64_t>(), int64_t{1} << 40);
  ExpectTheCheckpointsHash(follower);
}

TEST_F(ReplicaConvertTest, Int8HasAScaleForEachChannel) {
  Publisher publisher = Publish({.convert = {{"train/", Conversion::kInt8}}});
  SetMatrix({127, 0.5f, -63.6f, 0.25f, 1, -0.125f});
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  const std::vector<float> second = {0.5f, 64 * 0.5f / 127, -32 * 0.5f / 127};
  EXPECT_THAT(MatrixOf(follower.session()),
              Pointwise(FloatNear(1e-6f), {127.f, second[0], -64.f, second[1], 1.f, second[2]}));
  EXPECT_EQ(follower.Update({.verify = true}).value().proof, VersionProof::kProven);
  ExpectTheCheckpointsHash(follower);
}

TEST_F(ReplicaConvertTest, EverythingMayBeConvertedAndFollowed) {
  Publisher publisher = Publish({.convert = {{"", Conversion::kInt8}}});
  Follower follower = Follower::Open(Address()).value();
  for (int i = 1; i <= 5; ++i) {
    session_->Run(add_).value();
    const uint64_t version = publisher.Publish().value();
    follower.Wait(version, 30s).value();
    const float f = static_cast<float>(i);
    EXPECT_THAT(Values(follower.session()), Pointwise(FloatNear(1e-5f), {f, f, f, f}));
  }
}

TEST_F(ReplicaConvertTest, NonFiniteValuesCannotBecomeInt8) {
  Publisher publisher = Publish({.convert = {{"", Conversion::kInt8}}});
  Set(w_, {1, 2, std::numeric_limits<float>::quiet_NaN(), 4});
  const Status status = publisher.Publish().status();
  EXPECT_TRUE(IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("variable 'w': a value is not finite"));
  Set(w_, {1, 2, 3, 4});
  EXPECT_EQ(publisher.Publish().value(), 1u);
}

TEST_F(ReplicaConvertTest, UnchangedValuesAreNotConvertedAgain) {
  Publisher publisher = Publish({.convert = {{"train/", Conversion::kBFloat16}}});
  publisher.Publish().value();
  const uint64_t before = publisher.stats().bytes_copied;
  publisher.Publish().value();
  EXPECT_EQ(publisher.stats().bytes_copied, before);
  SetMatrix({1, 2, 3, 4, 5, 6});
  publisher.Publish().value();
  EXPECT_EQ(publisher.stats().bytes_copied, before + 12);
}

}  // namespace
}  // namespace ramet
