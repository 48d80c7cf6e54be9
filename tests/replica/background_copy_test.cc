// Tests of publishing from a device whose copies to the host take as long as the test wants, or
// fail.
#include "gated_device.h"
#include "replica_testing.h"

namespace ramet {
namespace {

[[maybe_unused]] const bool registered = GatedDevice::Register();

constexpr int kElements = 1000;

class BackgroundCopyTest : public ::testing::Test {
 protected:
  BackgroundCopyTest() : scope_(graph_) {
    Scope on_device = scope_.Device("/device:GATED:0");
    w_ = on_device.GetVariable("w", {kElements}, Zeros());
    Scope on_host = scope_.Device("/cpu:0");
    h_ = on_host.GetVariable("h", {kElements}, Zeros());
    const Output step = GetOrCreateGlobalStep(graph_).ref();
    const Output one = Constant(graph_, int64_t{1});
    add_ = Group(graph_,
                 {AssignAdd(w_.ref(), Constant(graph_, Ones())).op(),
                  AssignAdd(h_.ref(), Constant(graph_, Ones())).op(), AssignAdd(step, one).op()},
                 "add");
    Identity(w_, "y");
    Identity(h_, "z");
    session_.emplace(Session::Create(graph_).value());
    session_->InitializeMissing().value();
  }
  ~BackgroundCopyTest() override { Gate::Global().Open(); }

  static Tensor Ones() {
    Tensor ones(kFloat, {kElements});
    for (float& x : ones.mutable_flat<float>()) x = 1;
    return ones;
  }
  static std::string Address() {
    return StrCat("shm:copies ", getpid(), " ",
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void Train(int steps) {
    for (int i = 0; i < steps; ++i) session_->Run(add_).value();
  }
  // Checks that all elements of both variables are `value`.
  static void ExpectValues(Session& session, float value) {
    for (const Tensor& t : session.Run({}, {"y:0", "z:0"}).value()) {
      for (float x : t.flat<float>()) ASSERT_EQ(x, value);
    }
  }

  Graph graph_;
  Scope scope_;
  Variable w_, h_;
  Operation add_;
  std::optional<Session> session_;
};

TEST_F(BackgroundCopyTest, TheTrainerGoesOnWhileAVersionIsCopied) {
  Publisher publisher = Publisher::Open(Address(), *session_).value();
  Follower follower = Follower::Open(Address()).value();
  Train(1);
  Gate::Global().Close();
  EXPECT_EQ(publisher.Publish().value(), 1);
  Gate::Global().WaitForCopy();
  Train(5);
  ExpectValues(*session_, 6);
  EXPECT_EQ(publisher.stats().version, 0);
  EXPECT_TRUE(IsFailedPrecondition(follower.session().Run("y:0").status()));
  Gate::Global().Open();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  ExpectValues(follower.session(), 1);
  EXPECT_EQ(follower.current().id.step, 1);
  ExpectValues(*session_, 6);
}

TEST_F(BackgroundCopyTest, TheNextCallReportsAFailedCopy) {
  Publisher publisher = Publisher::Open(Address(), *session_).value();
  Follower follower = Follower::Open(Address()).value();
  Train(1);
  EXPECT_EQ(publisher.Publish().value(), 1);
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  Gate::Global().Fail(Internal("the device is lost"));
  Train(1);
  EXPECT_EQ(publisher.Publish().value(), 2);
  const Status flushed = publisher.Flush();
  EXPECT_TRUE(IsInternal(flushed));
  EXPECT_THAT(flushed.message(), HasSubstr("version 2, which an earlier Publish returned, "
                                           "was not published: the device is lost"));
  EXPECT_TRUE(publisher.Flush().ok());
  EXPECT_EQ(publisher.stats().version, 1);
  EXPECT_EQ(follower.Update().value().id.version, 1);
  ExpectValues(follower.session(), 1);

  EXPECT_EQ(publisher.Publish().value(), 2);
  ASSERT_TRUE(Eventually([&] { return IsInternal(publisher.Publish().status()); }));
  EXPECT_TRUE(publisher.Flush().ok());
  Gate::Global().Open();
  Train(1);
  EXPECT_EQ(publisher.Publish().value(), 2);
  ASSERT_TRUE(follower.Wait(2, 30s).ok());
  ExpectValues(follower.session(), 3);
}

TEST_F(BackgroundCopyTest, AVersionThatFindsTheCopyUnderWayIsSkipped) {
  Publisher publisher = Publisher::Open(Address(), *session_).value();
  Train(1);
  Gate::Global().Close();
  publisher.Publish().value();
  Gate::Global().WaitForCopy();
  const Status second = publisher.Publish().status();
  EXPECT_TRUE(IsResourceExhausted(second));
  EXPECT_THAT(second.message(), HasSubstr("still being copied from its device"));
  Gate::Global().Open();
  EXPECT_TRUE(publisher.Flush().ok());
  EXPECT_EQ(publisher.Publish().value(), 2);
}

TEST_F(BackgroundCopyTest, ALabelWaitsForTheVersionThatItNames) {
  PublisherOptions options;
  options.retention.at_limit = RetentionOptions::AtLimit::kWait;
  Publisher publisher = Publisher::Open(Address(), *session_, options).value();
  for (int step = 1; step <= 20; ++step) {
    Train(1);
    const uint64_t version = publisher.Publish().value();
    ASSERT_TRUE(publisher.Promote("stable", version).ok()) << step;
  }
  EXPECT_TRUE(IsNotFound(publisher.Promote("stable", 22)));
}

TEST_F(BackgroundCopyTest, AutomaticVersionsGoOnAfterAFailedCopy) {
  Publisher publisher =
      Publisher::Open(
          Address(), *session_,
          {.every_steps = 1, .retention = {.at_limit = RetentionOptions::AtLimit::kWait}})
          .value();
  Gate::Global().Fail(Internal("the device is lost"));
  Train(3);
  Gate::Global().Open();
  Train(3);
  EXPECT_TRUE(publisher.Flush().ok());
  Follower follower = Follower::Open(Address(), {.wait = 30s}).value();
  ASSERT_TRUE(Eventually([&] { return follower.Update().value().id.step == 6; }));
  ExpectValues(follower.session(), 6);
}

TEST_F(BackgroundCopyTest, AClosingPublisherFinishesItsLastVersion) {
  std::optional<Publisher> publisher = Publisher::Open(Address(), *session_).value();
  Follower follower = Follower::Open(Address()).value();
  Train(1);
  Gate::Global().Close();
  publisher->Publish().value();
  Gate::Global().WaitForCopy();
  std::thread closing([&] { publisher.reset(); });
  Train(1);
  Gate::Global().Open();
  closing.join();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  ExpectValues(follower.session(), 1);
}

TEST_F(BackgroundCopyTest, ConvertedValuesAreThoseOfTheirStep) {
  PublisherOptions options = {.convert = {{"w", Conversion::kBFloat16}, {"h", Conversion::kInt8}}};
  options.retention.at_limit = RetentionOptions::AtLimit::kWait;
  Publisher publisher = Publisher::Open(Address(), *session_, options).value();
  Follower follower = Follower::Open(Address()).value();
  for (int step = 1; step <= 5; ++step) {
    Train(1);
    const uint64_t version = publisher.Publish().value();
    ASSERT_TRUE(follower.Wait(version, 30s).ok());
    ExpectValues(follower.session(), static_cast<float>(step));
    ASSERT_TRUE(follower.Update({.verify = true}).ok());  // the hashes are equal
  }
}

TEST_F(BackgroundCopyTest, AFollowerOnTheDeviceOfThePublisherSharesItsValues) {
  PublisherOptions options;
  options.retention = {.retained = 3, .at_limit = RetentionOptions::AtLimit::kWait};
  Publisher publisher = Publisher::Open(Address(), *session_, options).value();
  Follower follower = Follower::Open(Address(), {.clear_devices = false}).value();
  Train(1);
  publisher.Publish().value();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  ExpectValues(follower.session(), 1);
  const int copied = GatedDevice::values_copied_in;
  EXPECT_GT(copied, 0);
  for (int step = 2; step <= 5; ++step) {
    Train(1);
    const uint64_t version = publisher.Publish().value();
    ASSERT_TRUE(follower.Wait(version, 30s).ok());
    ExpectValues(follower.session(), static_cast<float>(step));
  }
  Train(2);
  ExpectValues(follower.session(), 5);
  EXPECT_EQ(GatedDevice::values_copied_in, copied);
  ASSERT_TRUE(follower.Pin(4).ok());  // not the newest one, so that its values are copied
  ExpectValues(follower.session(), 4);
  EXPECT_GT(GatedDevice::values_copied_in, copied);
}

}  // namespace
}  // namespace ramet
