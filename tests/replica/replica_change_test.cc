// Tests of how a follower's session is built and of what happens when the publication changes.
#include "replica_testing.h"

namespace ramet {
namespace {

// A different trainer: y = w * x + b.
struct OtherTrainer {
  OtherTrainer() : scope(graph) {
    w = scope.GetVariable("w", {4}, Zeros());
    b = scope.GetVariable("b", {4}, Zeros());
    Identity(w * scope.Placeholder("x", kFloat, {4}) + b, "y");
    session.emplace(Session::Create(graph).value());
    session->Run(scope.GlobalVariablesInitializer()).value();
    session->Assign(b, Tensor::Vector<float>({7, 7, 7, 7})).IgnoreError();
  }
  Graph graph;
  Scope scope;
  Variable w, b;
  std::optional<Session> session;
};

class ReplicaChangeTest : public ReplicaTest {};

TEST_F(ReplicaChangeTest, ANewGraphReplacesTheOldOne) {
  std::optional<Publisher> publisher(Publish());
  session_->Run(add_).value();
  publisher->Publish().value();
  Follower follower = Follower::Open(Address(), {.on_change = OnChange::kReload}).value();
  Session& before = follower.session();
  publisher.reset();
  OtherTrainer other;
  Publisher second = Publisher::Open(Address(), *other.session).value();
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  second.Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().reloads == 1; }));
  EXPECT_THAT(Values(follower.session()), ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(Values(before), ElementsAre(1, 1, 1, 1));
}

TEST_F(ReplicaChangeTest, TheSameGraphIsKept) {
  std::optional<Publisher> publisher(Publish());
  publisher->Publish().value();
  Follower follower = Follower::Open(Address(), {.on_change = OnChange::kReload}).value();
  const uint64_t epoch = follower.current().id.epoch;
  publisher.reset();
  publisher.emplace(Publish());
  publisher->Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.current().id.epoch != epoch; }));
  EXPECT_EQ(follower.stats().reloads, 0u);
}

TEST_F(ReplicaChangeTest, WithoutReloadTheOldVersionStays) {
  OtherTrainer other;
  std::optional<Publisher> publisher(Publisher::Open(Address(), *other.session).value());
  publisher->Publish().value();
  Follower follower = Follower::Open(Address()).value();
  publisher.reset();
  publisher.emplace(Publish());  // has no b
  publisher->Publish().value();
  ASSERT_TRUE(Eventually([&] { return follower.stats().refused == 1; }));
  EXPECT_THAT(follower.stats().last_refusal, HasSubstr("'b' (float[4]) is not published"));
  EXPECT_THAT(Values(follower.session()), ElementsAre(7, 7, 7, 7));
  publisher.reset();
  publisher.emplace(Publisher::Open(Address(), *other.session).value());
  session_.reset();
  other.session->Assign(other.b, Tensor::Vector<float>({8, 8, 8, 8})).IgnoreError();
  publisher->Publish().value();
  EXPECT_TRUE(Eventually([&] { return Values(follower.session())[0] == 8; }));
  EXPECT_EQ(follower.stats().refused, 1u);
}

TEST_F(ReplicaChangeTest, TheFallbackIsUsedUntilSomebodyPublishes) {
  Publisher elsewhere = Publisher::Open(Address(" fallback"), *session_).value();
  elsewhere.Publish().value();
  Follower follower = Follower::Open(Address(), {.fallback = Address(" fallback")}).value();
  EXPECT_TRUE(follower.stats().on_fallback);
  session_->Run(add_).value();
  elsewhere.Publish().value();
  EXPECT_TRUE(Eventually([&] { return follower.current().id.version == 2; }));
  EXPECT_THAT(Values(follower.session()), ElementsAre(1, 1, 1, 1));
  OtherTrainer other;
  other.session->Assign(other.w, Tensor::Vector<float>({3, 3, 3, 3})).IgnoreError();
  Publisher publisher =
      Publisher::Open(Address(), *other.session, {.variables = {other.w}}).value();
  publisher.Publish().value();
  EXPECT_TRUE(Eventually([&] { return follower.stats().refused == 1; }));  // it has no step
  EXPECT_TRUE(follower.stats().on_fallback);
}

TEST_F(ReplicaChangeTest, TheFallbackIsLeftOnceSomebodyPublishes) {
  Publisher elsewhere = Publisher::Open(Address(" fallback"), *session_).value();
  elsewhere.Publish().value();
  Follower follower = Follower::Open(Address(), {.fallback = Address(" fallback")}).value();
  Session trainer = Session::Create(graph_).value();
  trainer.Run(scope_.GlobalVariablesInitializer()).value();
  trainer.Assign(w_, Tensor::Vector<float>({3, 3, 3, 3})).IgnoreError();
  Publisher publisher = Publisher::Open(Address(), trainer).value();
  publisher.Publish({.step = 9}).value();
  ASSERT_TRUE(Eventually([&] { return follower.current().id.step == 9; }));
  EXPECT_THAT(Values(follower.session()), ElementsAre(3, 3, 3, 3));
  EXPECT_FALSE(follower.stats().on_fallback);
}

TEST_F(ReplicaChangeTest, NobodyAtEitherAddress) {
  const Status status = Follower::Open(Address(), {.fallback = Address(" fallback")}).status();
  EXPECT_TRUE(IsDeadlineExceeded(status));
  EXPECT_THAT(status.message(), HasSubstr(Address() + ": there is no publisher"));
  EXPECT_THAT(status.message(), HasSubstr(Address(" fallback") + ": there is no publisher"));
}

TEST_F(ReplicaChangeTest, AScopeIsPrependedToAllNames) {
  Publisher publisher = Publish();
  session_->Run(add_).value();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.scope = "copy"}).value();
  EXPECT_THAT(Values(follower.session(), "copy/"), ElementsAre(1, 1, 1, 1));
}

TEST_F(ReplicaChangeTest, ADeviceTakesAllOperations) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  Follower follower = Follower::Open(Address(), {.device = "/cpu:0"}).value();
  EXPECT_EQ(follower.graph().FindOperation("y").value().device(), "/device:CPU:0");
  EXPECT_THAT(Values(follower.session()), ElementsAre(0, 0, 0, 0));
}

TEST_F(ReplicaChangeTest, TrainingPartsAreLeftOut) {
  const Output loss = ReduceSum(Square(y_));
  Adam(0.1).Minimize(loss);
  session_->Run(scope_.GlobalVariablesInitializer()).value();
  Publisher publisher = Publish();
  session_->Run(add_).value();
  publisher.Publish().value();
  Follower whole = Follower::Open(Address()).value();
  Follower stripped =
      Follower::Open(Address(), {.scope = "a", .strip_training = true, .outputs = {"y:0"}}).value();
  EXPECT_THAT(Values(stripped.session(), "a/"), ElementsAre(1, 1, 1, 1));
  const auto is_update = [](const Operation& op) { return op.type() == "ApplyAdam"; };
  EXPECT_EQ(std::ranges::count_if(whole.graph().operations(), is_update), 1);
  Follower all = Follower::Open(Address(), {.strip_training = true}).value();
  EXPECT_EQ(std::ranges::count_if(all.graph().operations(), is_update), 0);
  EXPECT_LT(stripped.graph().num_operations(), all.graph().num_operations());
  EXPECT_EQ(std::ranges::count_if(stripped.graph().operations(), is_update), 0);
}

TEST_F(ReplicaChangeTest, OnlySomeVariablesFollow) {
  OtherTrainer other;
  Publisher publisher = Publisher::Open(Address(), *other.session).value();
  publisher.Publish().value();
  Graph graph;
  Scope scope(graph);
  const Variable w = scope.GetVariable("w", {4}, Zeros());
  const Variable b = scope.GetVariable("b", {4}, Zeros());
  Identity(w * scope.Placeholder("x", kFloat, {4}) + b, "y");
  Session session = Session::Create(graph).value();
  session.Run(scope.GlobalVariablesInitializer()).value();
  Follower follower = Follower::Open(Address(), {.session = &session, .subsets = {"w"}}).value();
  EXPECT_THAT(Values(session), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(follower.stats().extra, ElementsAre("b"));
}

TEST_F(ReplicaChangeTest, MissingVariablesAreListed) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  OtherTrainer other;
  Follower follower =
      Follower::Open(Address(), {.session = &*other.session, .allow_missing = true}).value();
  EXPECT_THAT(follower.stats().missing, ElementsAre("b"));
  EXPECT_THAT(follower.stats().extra, ElementsAre("step"));
  EXPECT_THAT(Values(*other.session), ElementsAre(7, 7, 7, 7));
}

TEST_F(ReplicaChangeTest, ASessionHasOneFollowerAtATime) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  OtherTrainer other;
  const FollowerOptions options = {.session = &*other.session, .allow_missing = true};
  {
    Follower first = Follower::Open(Address(), options).value();
    const Status second = Follower::Open(Address(), options).status();
    EXPECT_TRUE(IsFailedPrecondition(second));
    EXPECT_THAT(second.message(), HasSubstr("already has a follower"));
    EXPECT_THAT(Values(*other.session), ElementsAre(7, 7, 7, 7));
  }
  EXPECT_TRUE(Follower::Open(Address(), options).ok());
}

TEST_F(ReplicaChangeTest, AGivenSessionIsNotRebuilt) {
  Publisher publisher = Publish();
  const Status status =
      Follower::Open(Address(), {.session = &*session_, .on_change = OnChange::kReload}).status();
  EXPECT_TRUE(IsInvalidArgument(status));
}

class NoHost final : public FollowerHost {
 public:
  std::shared_ptr<Graph> NewGraph() override { return nullptr; }
  StatusOr<std::shared_ptr<Session>> NewSession(const std::shared_ptr<Graph>&,
                                                const SessionOptions&) override {
    return Unimplemented("no sessions");
  }
};

// They would have no effect.
TEST_F(ReplicaChangeTest, OptionsOfAnOwnSessionAreErrorsForAGivenOne) {
  Publisher publisher = Publish();
  publisher.Publish().value();
  OtherTrainer other;
  const FollowerOptions plain = {.session = &*other.session, .allow_missing = true};
  std::vector<FollowerOptions> all(3, plain);
  all[0].clear_devices = false;
  all[1].device = "/cpu:0";
  all[2].host = std::make_shared<NoHost>();
  for (const FollowerOptions& options : all) {
    const Status status = Follower::Open(Address(), options).status();
    EXPECT_TRUE(IsInvalidArgument(status)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("FollowerOptions::session"));
  }
  EXPECT_TRUE(Follower::Open(Address(), plain).ok());
}

}  // namespace
}  // namespace ramet
