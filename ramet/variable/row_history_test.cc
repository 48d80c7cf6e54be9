#include "ramet/variable/row_history.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ramet/linalg/parallel.h"
#include "ramet/variable/column_testing.h"

namespace ramet {
namespace {

TEST(RowHistoryTest, ASpareIsBroughtUpToDateByTheRowsThatChanged) {
  RowHistory history;
  history.Note(Column({0, 0, 0, 0, 0, 0, 0, 0}), Tensor::Vector<int64_t>({1}));
  history.Note(Tensor(), Tensor::Vector<int32_t>({2}));
  const Tensor spare = history.TakeSpare(Column({9, 1, 2, 9, 9, 9, 9, 9}));
  EXPECT_TRUE(spare.BitwiseEquals(Column({0, 1, 2, 0, 0, 0, 0, 0})));
  EXPECT_TRUE(history.TakeSpare(spare).empty());
}

TEST(RowHistoryTest, AHeldBufferIsNotASpare) {
  RowHistory history;
  Tensor held = Column({0, 0, 0, 0});
  history.Note(held, Tensor::Vector<int64_t>({1}));
  EXPECT_TRUE(history.TakeSpare(Column({1, 1, 1, 1})).empty());
  held = Tensor();
  EXPECT_FALSE(history.TakeSpare(Column({1, 1, 1, 1})).empty());
}

TEST(RowHistoryTest, TheSpareWithTheFewestOutdatedRowsIsTaken) {
  RowHistory history;
  const Tensor one = Column({1, 1, 1, 1, 1, 1, 1, 1}), two = Column({2, 2, 2, 2, 2, 2, 2, 2});
  history.Note(one.DeepCopy().value(), Tensor::Vector<int64_t>({0}));
  history.Note(two.DeepCopy().value(), Tensor::Vector<int64_t>({1}));
  const Tensor now = Column({9, 9, 9, 9, 9, 9, 9, 9});
  EXPECT_TRUE(history.TakeSpare(now).BitwiseEquals(Column({2, 9, 2, 2, 2, 2, 2, 2})));
  EXPECT_TRUE(history.TakeSpare(now).BitwiseEquals(Column({9, 9, 1, 1, 1, 1, 1, 1})));
  EXPECT_TRUE(history.TakeSpare(now).empty());
}

TEST(RowHistoryTest, APreparedSpareLacksOnlyLaterRows) {
  RowHistory history;
  const std::atomic<int> waiting = 0;
  history.Note(Column({0, 0, 0, 0, 0, 0, 0, 0}), Tensor::Vector<int64_t>({1, 2, 1}));
  EXPECT_TRUE(history.Prepare(Column({5, 5, 5, 5, 5, 5, 5, 5}), waiting));
  history.Note(Tensor(), Tensor::Vector<int64_t>({2, 3}));
  const Tensor spare = history.TakeSpare(Column({9, 9, 9, 9, 9, 9, 9, 9}));
  EXPECT_TRUE(spare.BitwiseEquals(Column({0, 5, 9, 9, 0, 0, 0, 0})));
  EXPECT_TRUE(history.Prepare(spare, waiting));
}

TEST(RowHistoryTest, PreparingStopsWhenAnUpdateWaits) {
  RowHistory history;
  const std::atomic<int> waiting = 1;
  history.Note(Column({0, 0, 0, 0, 0, 0, 0, 0}), Tensor::Vector<int64_t>({1, 2}));
  EXPECT_TRUE(history.Prepare(Column({5, 5, 5, 5, 5, 5, 5, 5}), waiting));
  EXPECT_TRUE(history.TakeSpare(Column({9, 9, 9, 9, 9, 9, 9, 9}))
                  .BitwiseEquals(Column({0, 9, 9, 0, 0, 0, 0, 0})));
}

TEST(RowHistoryTest, AHeldBufferIsNotPrepared) {
  RowHistory history;
  const std::atomic<int> waiting = 0;
  Tensor held = Column({0, 0, 0, 0});
  history.Note(held, Tensor::Vector<int64_t>({1}));
  EXPECT_FALSE(history.Prepare(Column({1, 1, 1, 1}), waiting));
  EXPECT_TRUE(held.BitwiseEquals(Column({0, 0, 0, 0})));
  held = Tensor();
  EXPECT_TRUE(history.Prepare(Column({1, 1, 1, 1}), waiting));
}

TEST(RowHistoryTest, AtMostHalfOfAllRowsAreRecorded) {
  RowHistory history;
  history.Note(Column({0, 0, 0, 0}), Tensor::Vector<int64_t>({0, 1}));
  EXPECT_FALSE(history.TakeSpare(Column({1, 1, 1, 1})).empty());
  history.Note(Column({0, 0, 0, 0}), Tensor::Vector<int64_t>({0, 1, 2}));
  EXPECT_TRUE(history.TakeSpare(Column({1, 1, 1, 1})).empty());
}

// Such indices come from an update that failed before they were checked.
TEST(RowHistoryTest, OutOfRangeRowsAreSkipped) {
  RowHistory history;
  history.Note(Column({0, 0, 0, 0}), Tensor::Vector<int64_t>({-1, 4}));
  EXPECT_TRUE(history.TakeSpare(Column({1, 1, 1, 1})).BitwiseEquals(Column({0, 0, 0, 0})));
}

TEST(RowHistoryTest, ManyRowsAreCopiedByAllThreads) {
  constexpr int64_t kRows = 10000, kWidth = 100, kChanged = 3000;
  Tensor rows(kInt64, {kChanged}), now(kFloat, {kRows, kWidth}), expected(kFloat, {kRows, kWidth});
  std::ranges::fill(now.mutable_flat<float>(), 1.0f);
  std::ranges::fill(expected.mutable_flat<float>(), 0.0f);
  for (int64_t i = 0; i < kChanged; ++i) {
    const int64_t row = i * i % kRows;  // some of them twice
    rows.mutable_data<int64_t>()[i] = row;
    std::ranges::fill(expected.mutable_flat<float>().subspan(row * kWidth, kWidth), 1.0f);
  }
  for (const int threads : {1, 2, 4}) {
    linalg::SetIntraOpThreads(threads);
    RowHistory history;
    for (int round = 0; round < 2; ++round) {  // the rows must no longer be marked as copied
      Tensor replaced(kFloat, {kRows, kWidth});
      std::ranges::fill(replaced.mutable_flat<float>(), 0.0f);
      history.Note(std::move(replaced), rows);
      EXPECT_TRUE(history.TakeSpare(now).BitwiseEquals(expected)) << threads << " threads";
    }
  }
  linalg::SetIntraOpThreads(2);
}

TEST(RowHistoryTest, OldChangesAreForgottenWhenEverySpareHasSeenThem) {
  RowHistory history;
  const Tensor now = Column({7, 7, 7, 7, 7, 7, 7, 7});
  for (int round = 0; round < 100; ++round) {
    history.Note(Column({0, 0, 0, 0, 0, 0, 0, 0}), Tensor::Vector<int64_t>({round % 8}));
    history.Note(Tensor(), Tensor::Vector<int64_t>({(round + 1) % 8}));
    const Tensor spare = history.TakeSpare(now);
    ASSERT_FALSE(spare.empty());
    for (int row = 0; row < 8; ++row) {
      const bool changed = row == round % 8 || row == (round + 1) % 8;
      ASSERT_EQ(spare.data<float>()[row], changed ? 7.0f : 0.0f);
    }
  }
}

}  // namespace
}  // namespace ramet
