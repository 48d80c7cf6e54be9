// Tests of values that outlive the version, the follower or the publisher that they came from.
#include "replica_testing.h"

#include <ctime>

namespace ramet {
namespace {

class LifetimeTest : public ReplicaTest {
 protected:
  // Publishes until all free memory has been overwritten.
  void PublishMany(Publisher& publisher, Follower& follower) {
    for (int i = 0; i < 50; ++i) {
      session_->Run(add_).value();
      follower.Wait(publisher.Publish().value(), 30s).value();
    }
  }
  static std::vector<float> Floats(const Tensor& value) {
    return {value.flat<float>().begin(), value.flat<float>().end()};
  }
};

TEST_F(LifetimeTest, FetchedValuesNeverChange) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  const Tensor fetched = follower.session().Run("w:0").value();
  const Tensor read = follower.session().Run("w/read:0").value();
  const auto variables = follower.graph().collections().Get<Variable>(graph_keys::kGlobalVariables);
  const Tensor value = follower.session().Value(variables[0]).value();
  PublishMany(publisher, follower);
  for (const Tensor& each : {fetched, read, value}) {
    EXPECT_THAT(Floats(each), ElementsAre(0, 0, 0, 0));
  }
}

TEST_F(LifetimeTest, AssignedValuesNeverChange) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address()).value();
  Session other = Session::Create(graph_).value();
  ASSERT_TRUE(other.Assign(w_, follower.session().Run("w:0").value()).ok());
  PublishMany(publisher, follower);
  EXPECT_THAT(Floats(other.Value(w_).value()), ElementsAre(0, 0, 0, 0));
}

TEST_F(LifetimeTest, ASessionFollowsOneFollowerAfterAnother) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Session serving = Session::Create(graph_).value();
  {
    Follower first = Follower::Open(Address(), {.session = &serving}).value();
    serving.Run(add_).value();
    EXPECT_THAT(Values(serving), ElementsAre(1, 1, 1, 1));
  }
  for (int i = 0; i < 5; ++i) session_->Run(add_).value();
  publisher.Publish().value();
  Follower second = Follower::Open(Address(), {.session = &serving}).value();
  EXPECT_THAT(Values(serving), ElementsAre(5, 5, 5, 5));
}

// Both variables share a buffer when the publisher is destroyed.
TEST_F(LifetimeTest, PublishedValuesStayAfterThePublisherEnds) {
  const Variable target = scope_.GetVariable("target", {4}, Zeros());
  const Output copy = Assign(target.ref(), w_);
  const Output change = AssignAdd(target.ref(), Constant(graph_, Ones()));
  std::optional<Publisher> publisher = Publish({.variables = {w_}});
  session_->Run(add_).value();
  publisher->Publish().value();
  session_->Run(copy).value();
  Follower follower = Follower::Open(Address(), {.allow_missing = true}).value();
  publisher.reset();
  for (int i = 0; i < 3; ++i) session_->Run(change).value();
  EXPECT_THAT(Floats(session_->Value(target).value()), ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
}

TEST_F(LifetimeTest, WaitingForAPublisherThatHasEndedTakesNoProcessor) {
  std::optional<Publisher> publisher = Publish();
  publisher->Publish().value();
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  publisher.reset();
  const std::clock_t before = std::clock();
  EXPECT_TRUE(IsDeadlineExceeded(follower.Wait(2, 1000ms).status()));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 2);
}

TEST_F(LifetimeTest, AnyLimitOfMemoryIsUsed) {
  Publisher publisher = Publish({.retention = {.max_bytes = 1'000'000}});
  EXPECT_EQ(publisher.Publish().value(), 1u);
  EXPECT_LE(publisher.stats().bytes_in_use, 1'000'000u);
}

}  // namespace
}  // namespace ramet
