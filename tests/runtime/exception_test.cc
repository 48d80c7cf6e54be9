// An exception in a host function ends its run with a status, on whatever thread it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <new>
#include <stdexcept>
#include <system_error>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

class ExceptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        RegisterHostFunction("exception_test",
                             [this](std::span<const Tensor> in) -> StatusOr<std::vector<Tensor>> {
                               if (throw_) throw_();
                               return std::vector<Tensor>(in.begin(), in.end());
                             })
            .ok());
  }
  void TearDown() override { UnregisterHostFunction("exception_test"); }

  Output Call(float value) {
    return PyFuncStateless({Constant(graph_, value)}, "exception_test", {kFloat})[0];
  }
  // Runs `fetches`, which throw, and then checks that they can run without throwing.
  Status Run(const std::vector<GraphElement>& fetches, int threads) {
    Session session = Session::Create(graph_, {.intra_op_parallelism_threads = threads,
                                               .inter_op_parallelism_threads = threads})
                          .value();
    const std::function<void()> thrower = throw_;
    throw_ = nullptr;
    EXPECT_TRUE(session.Run(Fetches(fetches)).ok());
    throw_ = thrower;
    Status status;
    for (int i = 0; i < 3; ++i) status = session.Run(Fetches(fetches)).status();
    throw_ = nullptr;
    EXPECT_TRUE(session.Run(Fetches(fetches)).ok());
    return status;
  }

  Graph graph_;
  std::function<void()> throw_;
};

TEST_F(ExceptionTest, EachKindHasItsCode) {
  const Output y = Call(1);
  throw_ = [] { throw std::bad_alloc(); };
  EXPECT_TRUE(IsResourceExhausted(Run({y}, 1)));
  throw_ = [] { throw std::length_error("too long"); };
  const Status too_long = Run({y}, 1);
  EXPECT_THAT(too_long.message(), HasSubstr("too long"));
  EXPECT_TRUE(IsResourceExhausted(too_long));
  throw_ = [] { throw std::system_error(std::make_error_code(std::errc::no_such_process)); };
  EXPECT_TRUE(IsUnavailable(Run({y}, 1)));
  throw_ = [] { throw 7; };
  EXPECT_TRUE(IsInternal(Run({y}, 1)));
  throw_ = [] { throw BadStatusAccess(DataLoss("gone")); };
  EXPECT_TRUE(IsDataLoss(Run({y}, 1)));
}

TEST_F(ExceptionTest, NamesTheNode) {
  const Output y = Call(1);
  throw_ = [] { throw std::runtime_error("broken"); };
  const Status status = Run({y}, 1);
  EXPECT_THAT(status.message(), HasSubstr("broken"));
  EXPECT_THAT(status.message(), HasSubstr(StrCat("{{node ", y.op().name(), "}}")));
}

TEST_F(ExceptionTest, StepsThatRunAtTheSameTime) {
  std::vector<GraphElement> fetches;
  for (int i = 0; i < 8; ++i) fetches.emplace_back(Call(static_cast<float>(i)));
  throw_ = [] { throw std::length_error("too long"); };
  EXPECT_TRUE(IsResourceExhausted(Run(fetches, 4)));
}

TEST_F(ExceptionTest, IterationsOfLoops) {
  Scope scope(graph_);
  const Outputs ends = WhileLoop(
      scope, [](const Outputs& v) { return Less(v[0], 3.0f); },
      [this](const Outputs& v) -> Outputs {
        const Output called = PyFunc({v[0]}, "exception_test", {kFloat})[0];
        return {Reshape(called, Constant(graph_, Tensor(kInt32, Shape{0}))) + 1.0f};
      },
      {Constant(graph_, 0.0f)});
  throw_ = [] { throw std::bad_alloc(); };
  EXPECT_TRUE(IsResourceExhausted(Run({ends[0]}, 1)));
}

TEST_F(ExceptionTest, AHostFunctionThatRunsItselfFails) {
  const Output y = Call(1);
  Session session = Session::Create(graph_).value();
  int calls = 0;
  throw_ = [&] {
    ++calls;
    if (Status status = session.Run(y).status(); !status.ok()) throw BadStatusAccess(status);
  };
  const Status status = session.Run(y).status();
  EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("32"));
  EXPECT_EQ(calls, 32);
  throw_ = nullptr;
  EXPECT_TRUE(session.Run(y).ok());
}

// Interrupts from the third check on.
class ThirdTime final : public RunInterrupt {
 public:
  ThirdTime() : RunInterrupt(true) {}
  int asked = 0;

 private:
  bool Due() override {
    RunInterrupt::Request();
    return ++asked >= 3;
  }
};

TEST_F(ExceptionTest, AnInterruptEndsTheRunOfItsThread) {
  const Output zero = Constant(graph_, 0.0f);
  Scope scope(graph_);
  const Outputs ends = WhileLoop(
      scope, [](const Outputs& v) { return Less(v[0], 1.0f); },
      [](const Outputs& v) -> Outputs { return {v[0] * 0.5f}; }, {zero});
  const Output matrix = Fill(Constant(graph_, Tensor::Vector<int32_t>({2000, 2000})), 1.0f);
  Output product = matrix;
  for (int i = 0; i < 3; ++i) product = MatMul(product, matrix);
  for (int threads : {1, 4}) {
    Session session = Session::Create(graph_, {.inter_op_parallelism_threads = threads}).value();
    for (const Output& endless : {ends[0], product}) {
      ThirdTime interrupt;
      RunInterrupt::Request();
      EXPECT_TRUE(IsCancelled(session.Run(endless).status()));
      EXPECT_EQ(interrupt.asked, 3);
    }
    EXPECT_TRUE(session.Run(zero).ok());
  }
}

// Returns the processor time of the calling thread, which other processes do not change.
double ThreadSeconds() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// These take several times the limit if nothing interrupts them.
TEST_F(ExceptionTest, AnInterruptEndsSingleLongKernels) {
  const Output matrix = RandomUniform(graph_, Tensor::Vector<int32_t>({2500, 2500}));
  const Output row = RandomUniform(graph_, Tensor::Vector<int32_t>({30'000'000}));
  const Output values = AddOp(graph_, "Svd", {matrix}).output(0);
  const Output sorted = AddOp(graph_, "TopKV2", {row, Tensor(int32_t{29'000'000})}).output(0);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Session session = Session::Create(graph_, {.intra_op_parallelism_threads = 1}).value();
  for (const Output& endless : {values, sorted}) {
    ThirdTime interrupt;
    RunInterrupt::Request();
    const double start = ThreadSeconds();
    EXPECT_TRUE(IsCancelled(session.Run(endless).status()));
    EXPECT_LT(ThreadSeconds() - start, 1.5) << endless.name();
  }
}

}  // namespace
}  // namespace ramet
