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

// relu(x * w + b) for 2 rows of 3, followed by two sums of one shape.
struct FusibleGraph {
  FusibleGraph() {
    Scope s(graph);
    x = s.Placeholder("x", kFloat, {2, 3});
    Output w = Constant(graph, Tensor::Of<float>({3, 4}, {1.0f}), "w");
    Output b = Constant(graph, Tensor::Of<float>({4}, {1.0f}), "b");
    Output hidden = Relu(BiasAdd(MatMul(x, w), b));
    out = (hidden + hidden) * hidden;
  }
  std::vector<NodeStats> Trace(const RunOptions& options, const SessionOptions& session_options) {
    Session session = Session::Create(graph, session_options).value();
    RunMetadata metadata;
    EXPECT_TRUE(session.Run({{x, Tensor(kFloat, {2, 3})}}, out, options, &metadata).ok());
    return metadata.steps;
  }

  Graph graph;
  Output x, out;
};

TEST(RunMetadataTest, ATraceOfFusedStepsHasTheStepsOfOtherRuns) {
  FusibleGraph g;
  const auto steps = g.Trace({.trace = true, .trace_fused = true}, {});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].op, "MatMul+BiasAdd+Relu");
  EXPECT_EQ(steps[0].fused.size(), 3u);
  EXPECT_EQ(steps[0].fused.back(), steps[0].node);
  EXPECT_EQ(steps[0].input_bytes, (2 * 3 + 3 * 4 + 4) * 4);
  ASSERT_EQ(steps[0].outputs.size(), 1u);
  EXPECT_EQ(steps[0].outputs[0].bytes, 2 * 4 * 4);
  EXPECT_EQ(steps[1].op, "AddV2+Mul");
  EXPECT_THAT(steps[1].inputs, ElementsAre(steps[0].node, steps[0].node, steps[0].node));
}

TEST(RunMetadataTest, OtherTracesHaveEachNode) {
  FusibleGraph g;
  for (const auto& steps :
       {g.Trace({.trace = true}, {}),
        g.Trace({.trace = true, .trace_fused = true}, {.deterministic = true})}) {
    std::vector<std::string> ops;
    for (const NodeStats& step : steps) {
      ops.push_back(step.op);
      EXPECT_TRUE(step.fused.empty());
    }
    EXPECT_THAT(ops, ElementsAre("MatMul", "BiasAdd", "Relu", "AddV2", "Mul"));
  }
  EXPECT_TRUE(g.Trace({.trace_fused = true}, {}).empty());
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
