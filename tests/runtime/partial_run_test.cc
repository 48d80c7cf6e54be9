#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

float Scalar(const StatusOr<std::vector<Tensor>>& run, size_t i = 0) {
  EXPECT_TRUE(run.ok()) << run.status().ToString();
  return run.ok() ? (*run)[i].scalar<float>() : -1;
}

float Scalar(const StatusOr<Tensor>& run) {
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? run->scalar<float>() : -1;
}

// counted = f(a), r1 = counted + b, r2 = r1 * c, where f counts its calls.
class PartialRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        RegisterHostFunction("partial_run_test",
                             [this](std::span<const Tensor> in) -> StatusOr<std::vector<Tensor>> {
                               ++calls_;
                               if (in[0].scalar<float>() < 0) return OutOfRange("a is negative");
                               return std::vector<Tensor>(in.begin(), in.end());
                             })
            .ok());
    Scope s(graph_);
    a_ = s.Placeholder("a", kFloat, {});
    b_ = s.Placeholder("b", kFloat, {});
    c_ = s.Placeholder("c", kFloat, {});
    r1_ = PyFunc({a_}, "partial_run_test", {kFloat})[0] + b_;
    r2_ = r1_ * c_;
  }
  void TearDown() override { UnregisterHostFunction("partial_run_test"); }

  PartialRun Start(Session& session, const std::vector<GraphElement>& fetches) {
    return session.PartialRunSetup({a_, b_, c_}, fetches).value();
  }
  static void ExpectInvalid(const Status& status, const std::string& text) {
    EXPECT_TRUE(IsInvalidArgument(status)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(text));
  }

  Graph graph_;
  Output a_, b_, c_, r1_, r2_;
  int calls_ = 0;
};

TEST_F(PartialRunTest, NothingRunsTwice) {
  Session session = Session::Create(graph_).value();
  PartialRun run = Start(session, {r1_, r2_});
  EXPECT_EQ(Scalar(run.Run({{a_, 1.0f}, {b_, 2.0f}}, {r1_})), 3);
  EXPECT_FALSE(run.ended());
  EXPECT_EQ(Scalar(run.Run({{c_, 5.0f}}, {r2_})), 15);
  EXPECT_EQ(calls_, 1);
  EXPECT_TRUE(run.ended());
  ExpectInvalid(run.Run({}, {r2_}).status(), "Must run 'setup' before performing partial runs!");
}

TEST_F(PartialRunTest, RunsOfOneGraphAreIndependent) {
  Session session = Session::Create(graph_).value();
  PartialRun one = Start(session, {r1_, r2_}), other = Start(session, {r1_, r2_});
  EXPECT_EQ(Scalar(one.Run({{a_, 1.0f}, {b_, 2.0f}}, r1_)), 3);
  EXPECT_EQ(Scalar(other.Run({{a_, 10.0f}, {b_, 20.0f}}, r1_)), 30);
  EXPECT_EQ(Scalar(one.Run({{c_, 1.0f}}, r2_)), 3);
  EXPECT_EQ(Scalar(other.Run({{c_, 1.0f}}, r2_)), 30);
}

TEST_F(PartialRunTest, ARefusedCallChangesNothing) {
  Session session = Session::Create(graph_).value();
  PartialRun run = Start(session, {r1_, r2_});
  ExpectInvalid(run.Run({{a_, 1.0f}}, {r1_}).status(),
                "Fetch b:0 can't be computed from the feeds that have been fed so far.");
  ExpectInvalid(run.Run({{r1_, 1.0f}}, {r2_}).status(),
                "The feed add:0 was not specified in partial_run_setup.");
  ExpectInvalid(run.Run({{a_, 1.0f}}, {b_}).status(),
                "The fetch b:0 was not specified in partial_run_setup.");
  ExpectInvalid(run.Run({{a_, Tensor::Vector<float>({1, 2})}}, {}).status(), "shape");
  EXPECT_EQ(Scalar(run.Run({{a_, 1.0f}, {b_, 2.0f}}, {r1_})), 3);
  ExpectInvalid(run.Run({{a_, 1.0f}}, {}).status(), "The feed a:0 has already been fed.");
  ExpectInvalid(run.Run({{c_, 1.0f}}, {r1_}).status(), "The fetch add:0 has already been fetched.");
  EXPECT_EQ(Scalar(run.Run({{c_, 2.0f}}, {r2_})), 6);
}

TEST_F(PartialRunTest, AFailedOperationEndsTheRun) {
  Session session = Session::Create(graph_).value();
  PartialRun run = Start(session, {r1_, r2_});
  EXPECT_FALSE(run.Run({{a_, -1.0f}, {b_, 2.0f}}, {r1_}).ok());
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(Scalar(session.Run({{a_, 1.0f}, {b_, 2.0f}}, r1_)), 3);
}

TEST_F(PartialRunTest, WrongSetups) {
  Session session = Session::Create(graph_).value();
  ExpectInvalid(session.PartialRunSetup({a_}, {}).status(),
                "Must specify at least one target to fetch or execute.");
  ExpectInvalid(session.PartialRunSetup({a_, a_}, {r1_}).status(),
                "Endpoint \"a:0\" fed more than once.");
  ExpectInvalid(session.PartialRunSetup({a_}, {a_, r1_}).status(), "a:0 is both fed and fetched.");
}

TEST_F(PartialRunTest, FeedsOnTheWayAndLateFetches) {
  Session session = Session::Create(graph_).value();
  PartialRun run = session.PartialRunSetup({r1_, c_}, {r2_}).value();
  EXPECT_TRUE(run.Run({{r1_, 7.0f}}, {}).ok());
  EXPECT_EQ(Scalar(run.Run({{c_, 2.0f}}, {r2_})), 14);
  EXPECT_EQ(calls_, 0);

  PartialRun late = Start(session, {r1_, r2_});
  auto both = late.Run({{a_, 1.0f}, {b_, 2.0f}, {c_, 3.0f}}, {r2_});
  EXPECT_EQ(Scalar(both), 9);
  EXPECT_EQ(Scalar(late.Run({}, r1_)), 3);
  EXPECT_EQ(calls_, 1);
}

TEST_F(PartialRunTest, OperationsRunOnceAndVariablesStay) {
  Scope s(graph_);
  Variable v = s.NewVariable(0.0f, "v");
  Operation add = AddOp(graph_, "AssignAdd", {v.ref(), r1_});
  Scope after = s.ControlDependencies({add});
  Output then = c_ + v;
  Session session = Session::Create(graph_).value();
  ASSERT_TRUE(session.Run(v.initializer()).ok());
  PartialRun run = Start(session, {r1_, add, then});
  ExpectInvalid(run.Run({{a_, 1.0f}, {b_, 2.0f}}, {add}).status(), "is an operation");
  EXPECT_TRUE(run.Run({{a_, 1.0f}, {b_, 2.0f}}, {}).ok());
  EXPECT_EQ(Scalar(session.Run(v)), 3);
  EXPECT_EQ(Scalar(run.Run({{c_, 100.0f}}, {then})), 103);
  EXPECT_EQ(Scalar(run.Run({}, {r1_})), 3);
  EXPECT_EQ(Scalar(session.Run(v)), 3);
  EXPECT_EQ(calls_, 1);
}

TEST_F(PartialRunTest, AMissingFeedNamesThePlaceholder) {
  Session session = Session::Create(graph_).value();
  PartialRun run = session.PartialRunSetup({a_, b_}, {r1_, r2_}).value();
  EXPECT_EQ(Scalar(run.Run({{a_, 1.0f}, {b_, 2.0f}}, {r1_})), 3);
  ExpectInvalid(run.Run({}, {r2_}).status(), "You must feed a value for placeholder tensor 'c'");
}

}  // namespace
}  // namespace ramet
