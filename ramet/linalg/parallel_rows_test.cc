#include "ramet/linalg/parallel_rows.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

namespace ramet::linalg {
namespace {

constexpr int64_t kCount = 5000, kTableRows = 300;

// Returns rows that repeat often, in no particular order.
std::vector<int64_t> SomeRows() {
  std::vector<int64_t> rows(kCount);
  for (int64_t i = 0; i < kCount; ++i) rows[i] = i * i * 31 % kTableRows;
  return rows;
}

class ParallelForRowsTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { SetIntraOpThreads(GetParam()); }
  void TearDown() override { SetIntraOpThreads(2); }
  const std::vector<int64_t> rows_ = SomeRows();
  const std::function<int64_t(int64_t)> row_ = [this](int64_t i) { return rows_[i]; };
};

TEST_P(ParallelForRowsTest, UpdatesOfARowAreInOrder) {
  std::vector<std::vector<int64_t>> updates(kTableRows), expected(kTableRows);
  for (int64_t i = 0; i < kCount; ++i) expected[rows_[i]].push_back(i);
  const auto update = [&](int64_t i) { updates[rows_[i]].push_back(i); };
  ParallelForRows(
      RowLanes(kCount, 1024), kCount, row_, [](int64_t) {}, update);
  EXPECT_EQ(updates, expected);
}

TEST_P(ParallelForRowsTest, EachIsPrefetchedOnceAndInTime) {
  std::vector<int> asked(kCount), late(kCount);
  const auto prefetch = [&](int64_t i) { ++asked[i]; };
  const auto update = [&](int64_t i) { late[i] = asked[i] == 0; };
  ParallelForRows(RowLanes(kCount, 1024), kCount, row_, prefetch, update);
  EXPECT_EQ(asked, std::vector<int>(kCount, 1));
  EXPECT_EQ(late, std::vector<int>(kCount, 0));
}

TEST_P(ParallelForRowsTest, NeighborsBelongToOneThread) {
  std::vector<std::thread::id> threads(kCount);
  const auto row = [](int64_t i) { return i - 100; };
  const auto update = [&](int64_t i) { threads[i] = std::this_thread::get_id(); };
  ParallelForRows(
      RowLanes(kCount, 1024, 64), kCount, row, [](int64_t) {}, update);
  for (int64_t i = 1; i < kCount; ++i) {
    if (row(i) % 64 == 0) continue;
    EXPECT_EQ(threads[i], threads[i - 1]) << "row " << row(i);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForRowsTest, ::testing::Values(1, 2, 3, 4));

TEST(RowLanesTest, UseAllThreadsIfThereIsEnoughWork) {
  SetIntraOpThreads(4);
  const bool team = IntraOpThreads() == 4;  // not under the thread sanitizer
  EXPECT_EQ(RowLanes(1000, 1024).count(), team ? 4 : 1);
  EXPECT_EQ(RowLanes(1000, 64).count(), 1);  // 64 KB, not 2 * 32 KiB
  EXPECT_EQ(RowLanes(2, 1 << 20).count(),
            1);  // whole rows are assigned to threads
  EXPECT_EQ(RowLanes(0, 0).count(), 1);
  EXPECT_EQ(RowLanes::One().count(), 1);
  SetIntraOpThreads(2);
}

TEST(RowLanesTest, ShareTheRowsAmongThem) {
  SetIntraOpThreads(4);
  const RowLanes lanes(1 << 20, 256);
  std::vector<int> rows(4);
  for (int64_t row = 0; row < 4000; ++row) ++rows[lanes.Of(row)];
  const int each = 4000 / static_cast<int>(lanes.count());
  for (int lane = 0; lane < lanes.count(); ++lane) EXPECT_NEAR(rows[lane], each, each / 10);
  SetIntraOpThreads(2);
}

}  // namespace
}  // namespace ramet::linalg
