#include "ramet/base/side_thread.h"

#include <gtest/gtest.h>

#include <atomic>

namespace ramet {
namespace {

TEST(SideThreadTest, EachTaskRunsAtMostOnceAndIsOverAfterFinish) {
  SideThread side;
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> begun{0}, done{0};
    side.Start([&] {
      ++begun;
      ++done;
    });
    side.Finish();
    EXPECT_EQ(begun.load(), done.load());
    EXPECT_LE(done.load(), 1);
  }
}

TEST(SideThreadTest, WorksInParallelWithItsOwner) {
  SideThread side;
  std::atomic<bool> ran{false};
  side.Start([&] { ran = true; });
  while (!ran) std::this_thread::yield();
  side.Finish();
}

TEST(SideThreadTest, CanBeDestroyedBeforeItsTaskStarts) {
  SideThread side;
  side.Start([] {});
}

}  // namespace
}  // namespace ramet
