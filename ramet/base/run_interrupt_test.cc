#include "ramet/base/run_interrupt.h"

#include <gtest/gtest.h>

#include <thread>

namespace ramet {
namespace {

class Interrupt final : public RunInterrupt {
 public:
  explicit Interrupt(bool waits = true) : RunInterrupt(waits) {}
  int asked = 0;
  bool due = false;

 private:
  bool Due() override {
    ++asked;
    return due;
  }
};

TEST(RunInterruptTest, IsPolledOnlyAfterARequest) {
  EXPECT_FALSE(StopDue());
  Interrupt interrupt;
  EXPECT_EQ(RunInterrupt::Current(), &interrupt);
  EXPECT_FALSE(StopDue());
  EXPECT_EQ(interrupt.asked, 0);
  RunInterrupt::Request();
  EXPECT_FALSE(StopDue());
  EXPECT_FALSE(StopDue());
  EXPECT_EQ(interrupt.asked, 1);
  interrupt.due = true;
  EXPECT_FALSE(StopDue());
  RunInterrupt::Request();
  EXPECT_TRUE(StopDue());
  EXPECT_TRUE(StopDue());
  EXPECT_EQ(interrupt.asked, 2);
  EXPECT_TRUE(IsCancelled(InterruptedStatus()));
}

TEST(RunInterruptTest, TheInnermostIsActiveAndOtherThreadsHaveNone) {
  Interrupt outer;
  outer.due = true;
  {
    Interrupt inner;
    RunInterrupt::Request();
    EXPECT_FALSE(StopDue());
    EXPECT_EQ(inner.asked, 1);
    std::thread([] {
      EXPECT_EQ(RunInterrupt::Current(), nullptr);
      EXPECT_FALSE(StopDue());
    }).join();
  }
  EXPECT_TRUE(StopDue());
  EXPECT_EQ(outer.asked, 1);
}

TEST(RunInterruptTest, ARunIsCancelledByItsTokenOnEachOfItsThreads) {
  Interrupt interrupt;
  const Cancellation cancellation(nullptr, &interrupt.token(), 0);
  const CancellationScope scope(&cancellation);
  const StopCheck stop;
  EXPECT_FALSE(stop.due());
  interrupt.due = true;
  RunInterrupt::Request();
  EXPECT_TRUE(StopDue());
  std::thread([&] { EXPECT_TRUE(stop.due()); }).join();
  EXPECT_TRUE(IsCancelled(InterruptedStatus()));
}

TEST(RunInterruptTest, AWaitPolls) {
  Interrupt interrupt;
  const Cancellation cancellation(nullptr, &interrupt.token(), 0);
  Mutex mutex;
  CondVar never;
  interrupt.due = true;
  RunInterrupt::Request();
  for (const Cancellation* c : {&cancellation, static_cast<const Cancellation*>(nullptr)}) {
    CancellableWait wait(c, mutex, never);
    MutexLock lock(mutex);
    while (wait.Wait()) {
    }
  }
  EXPECT_EQ(interrupt.asked, 1);
}

}  // namespace
}  // namespace ramet
