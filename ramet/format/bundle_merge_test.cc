#include <gtest/gtest.h>

#include "ramet/format/bundle_merge.h"
#include "ramet/format/bundle_testing.h"

namespace ramet {
namespace {

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

class MergeTest : public ::testing::Test {
 protected:
  std::string Part(int i) { return dir_ / StrCat("m_temp/part-0000", i, "-of-00002"); }
  void SaveParts(float value) {
    BundleWriter first = BundleWriter::Create(Part(0)).value();
    ASSERT_TRUE(first.Add("b", Floats({value})).ok());
    ASSERT_TRUE(first.AddSlice("p", Shape{4}, TensorSlice({{0, 2}}), Floats({value, 1})).ok());
    ASSERT_TRUE(first.Finish().ok());
    BundleWriter second = BundleWriter::Create(Part(1)).value();
    ASSERT_TRUE(second.Add("a", Floats({value, value})).ok());
    ASSERT_TRUE(second.AddSlice("p", Shape{4}, TensorSlice({{2, 2}}), Floats({value, 2})).ok());
    ASSERT_TRUE(second.Finish().ok());
  }
  Status Merge(const MergeOptions& options = {}) {
    return MergeBundles(std::vector<std::string>{Part(0), Part(1)}, prefix_, options);
  }
  void ExpectValue(float value) {
    const std::vector<Tensor> read = Load(prefix_, {"a", "b", "p"}).value();
    EXPECT_TRUE(read[0].BitwiseEquals(Floats({value, value})));
    EXPECT_TRUE(read[1].BitwiseEquals(Floats({value})));
    EXPECT_TRUE(read[2].BitwiseEquals(Floats({value, 1, value, 2})));
  }
  ScratchDir dir_;
  std::string prefix_ = dir_ / "m";
};

TEST_F(MergeTest, MergesTheShardsIntoOneBundle) {
  SaveParts(1);
  ASSERT_TRUE(Merge().ok());
  ExpectValue(1);
  EXPECT_EQ(
      ListDir(dir_.path()).value(),
      (std::vector<std::string>{"m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"}));
}

TEST_F(MergeTest, OverwritingKeepsTheOldDataUntilTheNextMerge) {
  for (float value : {1.f, 2.f, 3.f}) {
    Age(dir_.path());
    SaveParts(value);
    ASSERT_TRUE(Merge().ok());
    ExpectValue(value);
  }
  EXPECT_EQ(
      ListDir(dir_.path()).value(),
      (std::vector<std::string>{"m.data-00001-of-00003", "m.data-00002-of-00003",
                                "m.data-00002-of-00004", "m.data-00003-of-00004", "m.index"}));
}

// Temporary prefixes of a save that was killed before merging are overwritten and still merge.
TEST_F(MergeTest, ShardsThatWereSavedTwice) {
  SaveParts(1);
  SaveParts(2);
  ASSERT_TRUE(Merge().ok());
  ExpectValue(2);
  EXPECT_FALSE(FileExists(dir_ / "m_temp"));
}

TEST_F(MergeTest, ErrorsLeaveTheCheckpointAsItWas) {
  SaveParts(1);
  ASSERT_TRUE(Merge().ok());
  ExpectError(Merge(), Code::kNotFound, "Failed to find any matching files for ");
  ASSERT_TRUE(Save(Part(0), {{"x", Floats({1})}}).ok());
  ASSERT_TRUE(Save(Part(1), {{"x", Floats({2})}}).ok());
  ExpectError(Merge(), Code::kInvalidArgument,
              StrCat("Duplicate tensor keyed by x encountered, when merging prefix: ", Part(1)));
  ASSERT_TRUE(RemoveFile(DataPath(Part(0))).ok());
  ASSERT_TRUE(Save(Part(1), {{"y", Floats({2})}}).ok());
  ExpectError(Merge(), Code::kNotFound, "No such file or directory");
  ExpectValue(1);
  EXPECT_TRUE(IsInvalidArgument(MergeBundles({}, prefix_)));
  EXPECT_TRUE(IsInvalidArgument(MergeBundles(std::vector<std::string>{prefix_}, prefix_)));
}

TEST_F(MergeTest, SlicesAndWholeDoNotMix) {
  SaveParts(1);
  ASSERT_TRUE(RemoveFile(Part(1) + ".index").ok());
  ASSERT_TRUE(Save(Part(1), {{"p", Floats({1, 2, 3, 4})}}).ok());
  ExpectError(Merge(), Code::kInternal, "attempting to merge in a non-slice bundle entry");
}

TEST_F(MergeTest, MissingPartsMayBeSkipped) {
  ASSERT_TRUE(Save(Part(1), {{"y", Floats({2})}}).ok());
  EXPECT_TRUE(IsNotFound(Merge()));
  ASSERT_TRUE(Merge({.delete_old_dirs = false, .allow_missing_files = true}).ok());
  EXPECT_TRUE(Load(prefix_, {"y"}).value()[0].BitwiseEquals(Floats({2})));
  EXPECT_TRUE(IsDirectory(dir_ / "m_temp"));
}

}  // namespace
}  // namespace ramet
