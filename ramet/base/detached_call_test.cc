#include "ramet/base/detached_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(DetachedCall, RunsTheWork) {
  int value = 0;
  EXPECT_TRUE(CallDetached([&] { value = 42; }));
  EXPECT_EQ(value, 42);
}

TEST(DetachedCall, RethrowsExceptions) {
  EXPECT_THROW(CallDetached([] { throw std::length_error("too long"); }), std::length_error);
}

class EndsCalls final : public RunInterrupt {
 public:
  EndsCalls() : RunInterrupt(true) {}

 private:
  bool Due() override { return true; }
};

// Blocks the detached call until the test lets it go.
struct Gate {
  std::atomic<bool> open = false;
  std::atomic<bool> passed = false;
  void Pass() {
    while (!open) std::this_thread::sleep_for(milliseconds(1));
    passed = true;
  }
};

TEST(DetachedCall, StopsWhileTheWorkGoesOn) {
  const auto gate = std::make_shared<Gate>();
  const EndsCalls interrupt;
  RunInterrupt::Request();
  const auto start = Clock::now();
  EXPECT_FALSE(CallDetached([gate] { gate->Pass(); }));
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
  EXPECT_FALSE(gate->passed);
  gate->open = true;
  while (!gate->passed) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace
}  // namespace ramet
