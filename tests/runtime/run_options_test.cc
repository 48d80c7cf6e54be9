#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// v <- v + 1, then a host function (which executes `work_`), then v <- v + 10.
class RunOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        RegisterHostFunction("run_options_test",
                             [this](std::span<const Tensor> in) -> StatusOr<std::vector<Tensor>> {
                               work_();
                               return std::vector<Tensor>(in.begin(), in.end());
                             })
            .ok());
    Scope s(graph_);
    v_ = s.NewVariable(0.0f, "v");
    Operation first = AddOp(graph_, "AssignAdd", {v_.ref(), 1.0f});
    Scope then = s.ControlDependencies({first});
    Output slow = PyFunc({Constant(graph_, 3.0f)}, "run_options_test", {kFloat})[0];
    Scope last = then.ControlDependencies({slow.op()});
    second_ = AddOp(graph_, "AssignAdd", {v_.ref(), 10.0f});
  }
  void TearDown() override { UnregisterHostFunction("run_options_test"); }

  Session Open(const SessionOptions& options = {}) {
    Session session = Session::Create(graph_, options).value();
    EXPECT_TRUE(session.Run({}, v_.initializer(), {.timeout_in_ms = 60000}).ok());
    return session;
  }
  float ValueOfV(Session& session) { return session.Run(v_).value().scalar<float>(); }
  static std::function<void()> Sleep(int milliseconds) {
    return [=] { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  }

  Graph graph_;
  Variable v_;
  Operation second_;
  std::function<void()> work_ = [] {};
};

TEST_F(RunOptionsTest, ARunEndsAtItsDeadline) {
  Session session = Open();
  work_ = Sleep(1100);
  Status status = session.Run({}, second_, {.timeout_in_ms = 1000}).status();
  EXPECT_TRUE(IsDeadlineExceeded(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("Timed out waiting for notification"));
  EXPECT_EQ(ValueOfV(session), 1);
  work_ = [] {};
  EXPECT_TRUE(session.Run({}, second_, {.timeout_in_ms = 60000}).ok());
  EXPECT_EQ(ValueOfV(session), 12);
}

TEST_F(RunOptionsTest, ASessionsLimitHoldsForRunsWithoutOne) {
  Session session = Open({.operation_timeout_in_ms = 5});
  work_ = Sleep(30);
  EXPECT_TRUE(IsDeadlineExceeded(session.Run(second_).status()));
  EXPECT_TRUE(session.Run({}, second_, {.timeout_in_ms = 60000}).ok());
  TensorCallable callable = session.MakeCallable({}, second_).value();
  Tensor fetched;
  EXPECT_TRUE(IsDeadlineExceeded(callable.Run({}, &fetched)));
  EXPECT_TRUE(callable.Run({}, &fetched, {.timeout_in_ms = 60000}).ok());
}

TEST_F(RunOptionsTest, ARunIsCancelledFromAnotherThread) {
  Session session = Open();
  auto token = std::make_shared<CancellationToken>();
  work_ = [&] { std::thread([&] { token->Cancel(); }).join(); };
  Status status = session.Run({}, second_, {.cancellation = token}).status();
  EXPECT_TRUE(IsCancelled(status)) << status.ToString();
  EXPECT_EQ(ValueOfV(session), 1);
  EXPECT_TRUE(IsCancelled(session.Run({}, v_, {.cancellation = token}).status()));
}

TEST_F(RunOptionsTest, ClosingTheSessionEndsItsRuns) {
  Session session = Open();
  work_ = [&] { std::thread([&] { session.Close(); }).join(); };
  Status status = session.Run(second_).status();
  EXPECT_TRUE(IsCancelled(status)) << status.ToString();
  EXPECT_TRUE(IsFailedPrecondition(session.Run(v_).status()));
}

TEST_F(RunOptionsTest, ATraceHasEachStep) {
  Session session = Open();
  work_ = Sleep(2);
  RunMetadata metadata;
  ASSERT_TRUE(session.Run({}, second_, {.trace = true}, &metadata).ok());
  std::vector<std::string> ops;
  for (const NodeStats& step : metadata.steps) {
    EXPECT_THAT(step.device, HasSubstr("/device:CPU:0"));
    EXPECT_LE(step.start_nanos, step.end_nanos);
    if (step.op == "PyFunc") {
      EXPECT_GE(step.end_nanos - step.start_nanos, 2'000'000);
      ASSERT_EQ(step.outputs.size(), 1u);
      EXPECT_EQ(step.outputs[0].dtype, kFloat);
      EXPECT_EQ(step.outputs[0].bytes, 4);
    }
    if (step.op != "VariableV2") ops.push_back(step.op);
  }
  EXPECT_THAT(ops, ElementsAre("AssignAdd", "PyFunc", "AssignAdd"));
  EXPECT_TRUE(metadata.partition_graphs.empty());

  RunMetadata untouched;
  ASSERT_TRUE(session.Run({}, second_, {}, &untouched).ok());
  EXPECT_TRUE(untouched.steps.empty());
}

TEST(RunMetadataTest, PartitionGraphsHoldWhatRan) {
  Graph g;
  Scope s(g);
  Output x = s.Placeholder("x", kFloat, {});
  Output y = x * 2;
  Output unused = y + 5;
  Session session = Session::Create(g).value();
  RunMetadata metadata;
  ASSERT_TRUE(session.Run({{x, 1.0f}}, y, {.output_partition_graphs = true}, &metadata).ok());
  ASSERT_EQ(metadata.partition_graphs.size(), 1u);
  EXPECT_THAT(metadata.partition_graphs[0].first, HasSubstr("/device:CPU:0"));
  const std::string& bytes = metadata.partition_graphs[0].second;
  EXPECT_THAT(bytes, HasSubstr("_arg_x_0_0"));
  EXPECT_THAT(bytes, HasSubstr("_retval_mul_0_0"));
  EXPECT_THAT(bytes, Not(HasSubstr(unused.op().name())));
}

}  // namespace
}  // namespace ramet
