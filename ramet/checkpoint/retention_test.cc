#include "ramet/checkpoint/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ramet/base/file.h"
#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Paths(const CheckpointList& list) {
  std::vector<std::string> paths;
  for (const auto& [path, time] : list.entries()) paths.push_back(path);
  return paths;
}

// Saves every 30 minutes, each time 1 s late, with one checkpoint per hour to be kept. TensorFlow
// keeps saves 2, 4, 6, 8 (and 9, the newest).
TEST(CheckpointListTest, KeepsOneOfEachHour) {
  CheckpointList list(1, 1.0, 0.0);
  std::vector<std::string> deleted;
  for (int i = 1; i <= 9; ++i) {
    list.Record(StrCat("m-", i), 1 + i * 1800.0);
    if (auto path = list.NextToDelete()) deleted.push_back(*path);
  }
  EXPECT_THAT(deleted, ElementsAre("m-1", "m-3", "m-5", "m-7"));
}

TEST(CheckpointListTest, ZeroKeepsAndListsNothing) {
  CheckpointList list(0, 10000, 0);
  list.Record("m-1", 1);
  EXPECT_THAT(Paths(list), IsEmpty());
  EXPECT_FALSE(list.NextToDelete());
}

TEST(CheckpointListTest, ASavedNameMovesToTheEnd) {
  CheckpointList list(2, 10000, 0);
  list.Record("a", 1);
  list.Record("b", 2);
  list.Record("a", 3);
  EXPECT_THAT(Paths(list), ElementsAre("b", "a"));
  EXPECT_FALSE(list.NextToDelete());
}

TEST(CheckpointListTest, ARecoveredListKeepsItsLength) {
  CheckpointList list(1, 10000, 0);
  list.Set({{"a", 1}, {"b", 2}, {"c", 3}});
  list.Record("d", 4);
  EXPECT_EQ(list.NextToDelete(), "a");
  EXPECT_FALSE(list.NextToDelete());
  EXPECT_THAT(Paths(list), ElementsAre("b", "c", "d"));
}

TEST(MetaGraphFilenameTest, LeavesTheShardOut) {
  EXPECT_EQ(MetaGraphFilename("d/s-00000-of-00001", "meta"), "d/s.meta");
  EXPECT_EQ(MetaGraphFilename("d/s-\?\?\?\?\?-of-00002", "meta"), "d/s.meta");
  EXPECT_EQ(MetaGraphFilename("d/s-5-\?\?\?\?\?-of-00002", "x"), "d/s-5.x");
  EXPECT_EQ(MetaGraphFilename("d/s-5", "meta"), "d/s-5.meta");
  EXPECT_EQ(MetaGraphFilename("-of-5", "meta"), "-of-5.meta");
}

TEST(MetaGraphsOfBasePathTest, AreThoseOfTheSameBasePath) {
  ScratchDir dir;
  for (const char* name :
       {"m-1.meta", "m-12.meta", "m.meta", "m-x.meta", "mm-1.meta", "m-3.index"}) {
    ASSERT_TRUE(AtomicWriteFile((dir / name), "").ok());
  }
  EXPECT_THAT(MetaGraphsOfBasePath((dir / "m-7"), "meta"),
              ElementsAre((dir / "m-1.meta"), (dir / "m-12.meta"), (dir / "m.meta")));
  EXPECT_THAT(MetaGraphsOfBasePath((dir / "none"), "meta"), IsEmpty());
}

TEST(RemoveLeftoversTest, TakesOldFilesOfTheBasePath) {
  ScratchDir dir;
  const std::vector<std::string> old = {"m-1.data-00000-of-00001.tempstate1.ramet",
                                        "m-2.index.tempstate2.ramet", "m-2.meta.tempstate3",
                                        "m.index.tempstate4", "checkpoint.tempstate5"};
  const std::vector<std::string> others = {"mm-1.index.tempstate6", "m-1.index", "x.tempstate7"};
  for (const auto& names : {old, others}) {
    for (const std::string& name : names) {
      ASSERT_TRUE(AtomicWriteFile(dir / name, "").ok());
      std::filesystem::last_write_time(
          dir / name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    }
  }
  ASSERT_TRUE(AtomicWriteFile(dir / "m-3.index.tempstate8", "").ok());
  RemoveLeftovers(dir / "m-7", "meta", "checkpoint");
  EXPECT_THAT(ListDir(dir.path()).value(), ElementsAre("m-1.index", "m-3.index.tempstate8",
                                                       "mm-1.index.tempstate6", "x.tempstate7"));
}

}  // namespace
}  // namespace ramet
