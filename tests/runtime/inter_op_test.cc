// Tests that steps of one run execute at the same time where that is safe, and that nothing else
// changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

// Uses host functions that take 2 ms, or until two of them run at the same time, and record how
// many do.
class InterOpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        RegisterHostFunction("inter_op_test",
                             [this](std::span<const Tensor> in) -> StatusOr<std::vector<Tensor>> {
                               const int now = ++at_work_;
                               for (int most = most_;
                                    most < now && !most_.compare_exchange_weak(most, now);) {
                               }
                               Work();
                               --at_work_;
                               const float x = in[0].data<float>()[0];
                               if (x == fails_at_) return InvalidArgument("no such number: ", x);
                               return std::vector<Tensor>{Tensor(x * x)};
                             })
            .ok());
  }
  void TearDown() override { UnregisterHostFunction("inter_op_test"); }

  void Work() {
    constexpr std::chrono::milliseconds kPollInterval(2);
    std::chrono::milliseconds waited(0);
    do {
      std::this_thread::sleep_for(kPollInterval);
      waited += kPollInterval;
      if (waited > kPatience) meet_ = false;
    } while (meet_ && most_ < 2);
  }
  Output Slow(const Input& x, bool stateful = false) {
    return stateful ? PyFunc({x}, "inter_op_test", {kFloat})[0]
                    : PyFuncStateless({x}, "inter_op_test", {kFloat})[0];
  }
  Session Open(int inter_op_threads, int intra_op_threads = 1) {
    return Session::Create(graph_, {.intra_op_parallelism_threads = intra_op_threads,
                                    .inter_op_parallelism_threads = inter_op_threads})
        .value();
  }
  // Returns the sum of `n` slow squares of x + i.
  Output SumOfSquares(int n, bool stateful = false) {
    std::vector<Output> squares;
    for (int i = 0; i < n; ++i) squares.push_back(Slow(x_ + static_cast<float>(i), stateful));
    return AddN({squares.begin(), squares.end()});
  }
  float RunFiveTimes(Session& session, const Output& sum) {
    float result = 0;
    for (int i = 0; i < 5; ++i) {
      most_ = 0;
      result = session.Run({{x_, 1.0f}}, sum).value().data<float>()[0];
    }
    return result;
  }

  static constexpr std::chrono::seconds kPatience{30};
  Graph graph_;
  Scope scope_{graph_};
  Output x_ = scope_.Placeholder("x", kFloat, Shape{});
  std::atomic<int> at_work_ = 0;
  std::atomic<int> most_ = 0;
  std::atomic<bool> meet_ = false;
  std::atomic<float> fails_at_ = -1.0f;
};

TEST_F(InterOpTest, IndependentStepsRunAtTheSameTime) {
  const Output sum = SumOfSquares(6);
  Session session = Open(3);
  RunFiveTimes(session, sum);  // the first ones are measured, one step at a time
  meet_ = true;
  EXPECT_EQ(RunFiveTimes(session, sum), 1 + 4 + 9 + 16 + 25 + 36);
  EXPECT_GT(most_, 1);
  EXPECT_LE(most_, 3);
}

TEST_F(InterOpTest, OneThreadIsOneStepAtATime) {
  const Output sum = SumOfSquares(6);
  Session session = Open(1);
  EXPECT_EQ(RunFiveTimes(session, sum), 91);
  EXPECT_EQ(most_, 1);
}

TEST_F(InterOpTest, ThereAreNoMoreThreadsThanThoseWithinAStep) {
  const Output sum = SumOfSquares(6);
  Session session = Open(6, 2);
  EXPECT_EQ(RunFiveTimes(session, sum), 91);
  EXPECT_LE(most_, 2);
}

TEST_F(InterOpTest, StepsThatFollowOneAnotherDoNot) {
  Output value = x_;
  for (int i = 0; i < 3; ++i) value = Slow(value + 1.0f);
  Session session = Open(4);
  EXPECT_EQ(RunFiveTimes(session, value), 676);
  EXPECT_EQ(most_, 1);
}

TEST_F(InterOpTest, StepsWithSideEffectsDoNot) {
  const Output sum = SumOfSquares(4, true);
  Session session = Open(4);
  EXPECT_EQ(RunFiveTimes(session, sum), 30);
  EXPECT_EQ(most_, 1);
}

// Includes a NoOp, which is not a step.
TEST_F(InterOpTest, ControlInputsAreWaitedFor) {
  const Output first = Slow(x_);
  const Operation done = Group(graph_, {first.op()}, "done");
  Scope later = scope_.ControlDependencies({done});
  const Output second = Slow(x_);
  Session session = Open(4);
  RunFiveTimes(session, second);
  EXPECT_EQ(most_, 1);
}

TEST_F(InterOpTest, AFailureNamesItsNodeAndTheSessionGoesOn) {
  const Output sum = SumOfSquares(6);
  Session session = Open(3);
  RunFiveTimes(session, sum);
  fails_at_ = 4.0f;
  auto failed = session.Run({{x_, 1.0f}}, sum);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.status().message(), HasSubstr("no such number: 4"));
  EXPECT_THAT(failed.status().message(), HasSubstr("{{node PyFuncStateless_3}}"));
  fails_at_ = -1.0f;
  EXPECT_EQ(RunFiveTimes(session, sum), 91);
}

TEST_F(InterOpTest, ATimeLimitEndsThem) {
  const Output sum = SumOfSquares(40);
  Session session = Open(2);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(session.Run({{x_, 1.0f}}, sum).ok());
  auto late = session.Run({{x_, 1.0f}}, sum, {.timeout_in_ms = 3});
  EXPECT_EQ(late.status().code(), Code::kDeadlineExceeded);
}

// The last reader of a buffer may take it over, but not while other steps run.
TEST_F(InterOpTest, ResultsAreTheSameBitByBit) {
  constexpr int64_t kN = 200;
  std::vector<float> values(kN * kN);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 101.0f;
  const Output start = Constant(graph_, Tensor::Of(Shape{kN, kN}, std::span<const float>(values)));
  const Output shared = Tanh(start + x_);
  std::vector<Output> branches;
  for (int i = 0; i < 5; ++i) {
    const Output product = MatMul(Exp(shared), shared);
    branches.push_back(Sigmoid(product * (0.01f * static_cast<float>(i + 1))) + shared);
  }
  const Output sum = AddN({branches.begin(), branches.end()});
  Session one = Open(1);
  Session several = Open(4);
  for (int run = 0; run < 8; ++run) {
    const Tensor a = one.Run({{x_, 0.1f * static_cast<float>(run)}}, sum).value();
    const Tensor b = several.Run({{x_, 0.1f * static_cast<float>(run)}}, sum).value();
    ASSERT_TRUE(a.BitwiseEquals(b)) << "run " << run;
  }
}

}  // namespace
}  // namespace ramet
