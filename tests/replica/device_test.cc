// Tests of a trainer on the simulated accelerator, whose memory is inaccessible to the host, with a
// follower on the CPU.
#include <gtest/gtest.h>
#include <unistd.h>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using std::chrono::milliseconds;

class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() : scope_(graph_) {
    Scope on_device = scope_.Device("/device:SIM:0");
    w_ = on_device.GetVariable("w", {1000}, Zeros());
    add_ = AssignAdd(w_.ref(), Constant(graph_, Ones1000()), "add");
    Identity(w_, "y");
    session_.emplace(Session::Create(graph_).value());
    session_->InitializeMissing().value();
    address_ = StrCat("shm:device ", getpid(), " ",
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  static Tensor Ones1000() {
    Tensor t(kFloat, {1000});
    for (float& x : t.mutable_flat<float>()) x = 1;
    return t;
  }
  float First(Session& session) { return session.Run("y:0").value().data<float>()[999]; }

  Graph graph_;
  Scope scope_;
  Variable w_;
  Output add_;
  std::optional<Session> session_;
  std::string address_;
};

TEST_F(DeviceTest, AFollowerOnTheCpuHasTheValuesOfTheDevice) {
  Publisher publisher = Publisher::Open(address_, *session_).value();
  session_->Run(add_).value();
  publisher.Publish({.step = 1}).value();
  Follower follower = Follower::Open(address_).value();
  ASSERT_TRUE(follower.Wait(1, milliseconds(30000)).ok());
  EXPECT_EQ(First(follower.session()), 1.0f);
}

// A version has the values at the time of Publish, whatever the trainer does next.
TEST_F(DeviceTest, EachVersionIsThatOfItsStep) {
  PublisherOptions options;
  options.retention.at_limit = RetentionOptions::AtLimit::kWait;
  options.retention.retained = 20;
  Publisher publisher = Publisher::Open(address_, *session_, options).value();
  constexpr int kSteps = 20;
  for (int step = 1; step <= kSteps; ++step) {
    session_->Run(add_).value();
    publisher.Publish({.step = step}).value();
  }
  Follower follower = Follower::Open(address_).value();
  ASSERT_TRUE(follower.Wait(kSteps, milliseconds(30000)).ok());
  for (int step = 1; step <= kSteps; ++step) {
    ASSERT_TRUE(follower.Pin(static_cast<uint64_t>(step)).ok());
    EXPECT_EQ(First(follower.session()), static_cast<float>(step));
    EXPECT_EQ(follower.current().id.step, step);
  }
}

}  // namespace
}  // namespace ramet
