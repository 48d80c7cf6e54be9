// Tests followers whose products pack their weights: once per published version.
#include "ramet/tensor/kept_forms.h"
#include "replica_testing.h"

namespace ramet {
namespace {

constexpr int64_t kRows = 3, kSize = 64;

class PackedWeightsReplicaTest : public ::testing::Test {
 protected:
  PackedWeightsReplicaTest() : scope_(graph_) {
    w_ = scope_.GetVariable("w", {kSize, kSize}, Zeros());
    x_ = scope_.Placeholder("x", kFloat, {kRows, kSize});
    y_ = Identity(MatMul(x_, w_), "y");
    const Output one = Constant(graph_, Tensor::Of<float>({kSize, kSize}, {1.0f}));
    add_ = AssignAdd(w_.ref(), one, "add");
    session_.emplace(Session::Create(graph_).value());
    session_->Run(scope_.GlobalVariablesInitializer()).value();
  }
  static std::string Address() {
    return StrCat("shm:packed ", getpid(), " ",
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  // Runs y and expects that each element is `value` * kSize.
  static void ExpectAll(Session& session, float value) {
    const Tensor ones = Tensor::Of<float>({kRows, kSize}, {1.0f});
    const Tensor y = session.Run({{"x:0", ones}}, "y:0").value();
    for (float element : y.flat<float>()) ASSERT_EQ(element, value * kSize);
  }

  Graph graph_;
  Scope scope_;
  Variable w_;
  Output x_, y_, add_;
  std::optional<Session> session_;
};

TEST_F(PackedWeightsReplicaTest, EachVersionIsPackedOnce) {
  Publisher publisher = Publisher::Open(Address(), *session_, {}).value();
  ASSERT_TRUE(publisher.Publish().ok());
  const int64_t before = KeptForms::Global().bytes();
  {
    Follower follower = Follower::Open(Address(), {.automatic = false}).value();
    for (int version = 1; version < 6; ++version) {
      session_->Run(add_.op()).value();
      ASSERT_TRUE(publisher.Publish().ok());
      ASSERT_TRUE(follower.Update().ok());
      for (int run = 0; run < 3; ++run) ExpectAll(follower.session(), version);
      EXPECT_GE(KeptForms::Global().bytes() - before, kSize * kSize * 4);
      EXPECT_LT(KeptForms::Global().bytes() - before, 2 * kSize * kSize * 4);
    }
    // An assignment in the follower counts until the next version.
    follower.session().Run("add").value();
    for (int run = 0; run < 3; ++run) ExpectAll(follower.session(), 6);
  }
  EXPECT_EQ(KeptForms::Global().bytes(), before);
}

// The packed form of the trainer's own products does not disturb publishing either.
TEST_F(PackedWeightsReplicaTest, ATrainerThatInfersPublishes) {
  Publisher publisher = Publisher::Open(Address(), *session_, {}).value();
  ASSERT_TRUE(publisher.Publish().ok());
  Follower follower = Follower::Open(Address(), {.automatic = false}).value();
  for (int version = 1; version < 6; ++version) {
    session_->Run(add_.op()).value();
    for (int run = 0; run < 3; ++run) ExpectAll(*session_, version);
    ASSERT_TRUE(publisher.Publish().ok());
    for (int run = 0; run < 3; ++run) ExpectAll(*session_, version);
    ASSERT_TRUE(follower.Update().ok());
    for (int run = 0; run < 3; ++run) ExpectAll(follower.session(), version);
  }
}

}  // namespace
}  // namespace ramet
