// Tests that computations on matrices give their results, on copies if they are long, and that a
// long one can be left while it runs.
#include "ramet/ops/linalg/matrix_runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

constexpr double kShort = 100, kLong = 1e12;

class EndsCalls final : public RunInterrupt {
 public:
  EndsCalls() : RunInterrupt(true) {}

 private:
  bool Due() override { return true; }
};

TEST(MatrixRunner, GivesTheResultsOfShortAndLongComputations) {
  for (const double work : {kShort, kLong}) {
    MatrixRunner runner(work);
    const std::vector<float> a = {1, 2, 3};
    std::vector<double> y(3);
    bool ok = false;
    const auto twice = [](const MatrixArgs& args) {
      for (int i = 0; i < 3; ++i) args.out<double>(0)[i] = 2 * args.in<float>(0)[i];
      *args.out<bool>(2) = args.out<double>(1) == nullptr;
    };
    EXPECT_TRUE(runner.Run({MatrixOperand::Of(a.data(), 3)},
                           {MatrixResult::Of(y.data(), 3), {}, MatrixResult::Of(&ok, 1)}, twice));
    EXPECT_EQ(y, (std::vector<double>{2, 4, 6}));
    EXPECT_TRUE(ok);
  }
}

TEST(MatrixRunner, StopsBetweenShortComputations) {
  const EndsCalls interrupt;
  RunInterrupt::Request();
  MatrixRunner runner(kShort);
  int runs = 0;
  while (runner.Run({}, {}, [](const MatrixArgs&) {})) ++runs;
  EXPECT_GT(runs, 1000);
  EXPECT_LT(runs, 100000);
}

TEST(MatrixRunner, LeavesALongComputation) {
  struct Gate {
    std::atomic<bool> open = false, passed = false;
  };
  const auto gate = std::make_shared<Gate>();
  double y = 1;
  {
    const EndsCalls interrupt;
    RunInterrupt::Request();
    const auto wait = [gate](const MatrixArgs& args) {
      while (!gate->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      *args.out<double>(0) = 2;
      gate->passed = true;
    };
    EXPECT_FALSE(MatrixRunner(kLong).Run({}, {MatrixResult::Of(&y, 1)}, wait));
  }
  gate->open = true;
  while (!gate->passed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(y, 1);
}

}  // namespace
}  // namespace ramet
