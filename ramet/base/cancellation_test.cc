#include "ramet/base/cancellation.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace ramet {
namespace {

using std::chrono::milliseconds;

TEST(CancellationTest, SaysWhatEndedTheRun) {
  CancellationToken session, run;
  const Cancellation free(&session, &run, 0);
  EXPECT_FALSE(free.due());
  EXPECT_TRUE(free.status().ok());
  run.Cancel();
  EXPECT_TRUE(free.due());
  EXPECT_TRUE(IsCancelled(free.status())) << free.status().ToString();
  EXPECT_FALSE(Cancellation(&session, nullptr, 0).due());
  session.Cancel();
  EXPECT_TRUE(IsCancelled(Cancellation(&session, nullptr, 0).status()));

  const Cancellation limited(nullptr, nullptr, 1);
  std::this_thread::sleep_for(milliseconds(2));
  EXPECT_TRUE(IsDeadlineExceeded(limited.status())) << limited.status().ToString();
}

TEST(CancellationTest, NonPositiveTimeoutMeansNoLimit) {
  EXPECT_FALSE(Cancellation(nullptr, nullptr, std::numeric_limits<int64_t>::max()).due());
  EXPECT_FALSE(Cancellation(nullptr, nullptr, -1).due());
}

// Waits for `ready` as a kernel does. Returns false if the wait was ended.
class Waiter {
 public:
  bool Wait(const Cancellation* cancellation) {
    CancellableWait wait(cancellation, mutex_, cond_);
    MutexLock lock(mutex_);
    while (!ready_) {
      if (!wait.Wait()) return false;
    }
    return true;
  }
  void MakeReady() {
    MutexLock lock(mutex_);
    ready_ = true;
    cond_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar cond_;
  bool ready_ RAMET_GUARDED_BY(mutex_) = false;
};

TEST(CancellableWaitTest, EndsWithItsCondition) {
  for (bool with_token : {false, true}) {
    CancellationToken session;
    const Cancellation cancellation(&session, nullptr, 60000);
    Waiter waiter;
    std::thread other([&] { waiter.MakeReady(); });
    EXPECT_TRUE(waiter.Wait(with_token ? &cancellation : nullptr));
    other.join();
  }
}

TEST(CancellableWaitTest, EndsWhenEitherTokenIsCancelled) {
  for (int i = 0; i < 200; ++i) {
    CancellationToken session, run;
    const Cancellation cancellation(&session, &run, 0);
    Waiter waiter;
    std::thread other([&] { (i % 2 ? session : run).Cancel(); });
    EXPECT_FALSE(waiter.Wait(&cancellation));
    other.join();
  }
}

TEST(CancellableWaitTest, EndsAtTheDeadline) {
  const Cancellation cancellation(nullptr, nullptr, 20);
  Waiter waiter;
  EXPECT_FALSE(waiter.Wait(&cancellation));
  EXPECT_TRUE(IsDeadlineExceeded(cancellation.status()));
}

}  // namespace
}  // namespace ramet
