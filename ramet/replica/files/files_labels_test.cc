// Tests of labels and rollbacks in a folder that a trainer saves to, and of invalid version files.
#include <gmock/gmock.h>

#include <cmath>

#include "ramet/base/file.h"
#include "ramet/base/strings.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/files_testing.h"

namespace ramet::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesLabelsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_ / name; }
  void Remove(const std::string& prefix) {
    for (const std::string& file : ListDir(dir_.path()).value()) {
      if (!file.starts_with(prefix + ".")) continue;
      ASSERT_TRUE(RemoveFile(Path(file)).ok());
    }
  }
  ScratchDir dir_;
};

TEST_F(FilesLabelsTest, ALabelKeepsItsVersion) {
  Save(Path("m-1"), 1, 100);
  auto follower = Follow(dir_.path());
  EXPECT_EQ(follower->Newest("stable"), 0u);
  ASSERT_EQ(follower->Promote("stable", 1).ToString(), "OK");
  Save(Path("m-2"), 2, 200);
  Remove("m-1");
  EXPECT_EQ(follower->Newest("stable"), 1u);
  EXPECT_EQ(Take(*follower, 1), 1);
  EXPECT_EQ(follower->Take(1).value()->info.id.step, 100);
  EXPECT_EQ(LatestCheckpoint(Path("labels"), "stable.label").value(), Path("labels/m-1"));
  EXPECT_TRUE(IsNotFound(follower->Promote("stable", 3)));
}

// Works whether or not the follower has seen a newer version.
TEST_F(FilesLabelsTest, TheNewestIsTakenFromItsLabelWhenItsFilesGo) {
  for (int i = 1; i < 60; i += 2) {
    Save(Path(StrCat("m-", i)), static_cast<float>(i));
    auto follower = Follow(dir_.path());
    ASSERT_EQ(follower->Promote("stable", i).ToString(), "OK");
    Save(Path(StrCat("m-", i + 1)), static_cast<float>(i + 1));
    Remove(StrCat("m-", i));
    ASSERT_EQ(Take(*follower, i), i);
  }
}

TEST_F(FilesLabelsTest, OthersSeeLabels) {
  Save(Path("m-1"), 1);
  auto one = Follow(dir_.path()), other = Follow(dir_.path());
  ASSERT_TRUE(one->Promote("stable", 1).ok());
  EXPECT_TRUE(WaitFor(*other, 1, "stable"));
  Save(Path("m-2"), 2);
  ASSERT_TRUE(one->Promote("canary", 2).ok());
  ASSERT_TRUE(one->Promote("stable", 2).ok());
  EXPECT_TRUE(WaitFor(*other, 2, "stable"));
  EXPECT_EQ(other->PublisherStatus().value().labels,
            (std::map<std::string, uint64_t>{{"canary", 2}, {"stable", 2}}));
  EXPECT_FALSE(FileExists(Path("labels/m-1.index")));
  EXPECT_TRUE(FileExists(Path("labels/m-2.index")));
}

TEST_F(FilesLabelsTest, ALabelOfANameThatIsOverwritten) {
  Save(Path("model"), 1);
  auto follower = Follow(dir_.path());
  const uint64_t first = follower->Newest("");
  ASSERT_EQ(follower->Promote("stable", first).ToString(), "OK");
  Save(Path("model"), 2);
  EXPECT_TRUE(WaitFor(*follower, first, "stable"));
  EXPECT_EQ(Take(*follower, first), 1);
}

TEST_F(FilesLabelsTest, BadLabels) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  for (const char* label : {"", "a/b", "..", ".x", "a b", "a\n"}) {
    EXPECT_TRUE(IsInvalidArgument(follower->Promote(label, 1))) << label;
  }
  EXPECT_TRUE(IsInvalidArgument(follower->Promote(std::string(64, 'x'), 1)));
}

TEST_F(FilesLabelsTest, DamagedLabelFiles) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(follower->Promote("fine", 1).ok());
  const std::pair<const char*, const char*> bad[] = {{"a", ""},
                                                     {"b", "model_checkpoint_path: \"../m-1\""},
                                                     {"c", "model_checkpoint_path: \"..\""},
                                                     {"d", "model_checkpoint_path: \"/\""},
                                                     {"e", "\xff\xfe"}};
  for (const auto& entry : bad) {
    ASSERT_TRUE(AtomicWriteFile(Path(StrCat("labels/", entry.first, ".label")), entry.second).ok());
  }
  auto again = Follow(dir_.path());
  EXPECT_EQ(again->Newest("fine"), 1u);
  for (const char* label : {"a", "c", "d", "e"}) EXPECT_EQ(again->Newest(label), 0u) << label;
}

TEST_F(FilesLabelsTest, ARollbackIsANewVersion) {
  Save(Path("m-10"), 1, 100);
  Save(Path("m-20"), 2, 200);
  auto follower = Follow(dir_.path());
  EXPECT_EQ(follower->Rollback(10).value(), 21u);
  EXPECT_EQ(follower->Newest(""), 21u);
  const auto held = follower->Take(21).value();
  EXPECT_EQ(held->info.rollback_to, 10u);
  EXPECT_EQ(held->info.id.step, 100);
  EXPECT_EQ(ValueOf(*held, follower->announcement().signature), 1);
  EXPECT_EQ(follower->Hashes(21, Soon()).value(), follower->Hashes(10, Soon()).value());
  EXPECT_EQ(LatestCheckpoint(dir_.path()).value(), Path("m-21"));
  EXPECT_TRUE(IsNotFound(follower->Rollback(15).status()));
}

TEST_F(FilesLabelsTest, TheTrainerGoesOnAfterARollback) {
  Save(Path("m-10"), 1);
  Save(Path("m-20"), 2);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(follower->Rollback(10).ok());
  Save(Path("m-30"), 3);
  ASSERT_TRUE(WaitFor(*follower, 30));
  EXPECT_EQ(Take(*follower, 30), 3);
  EXPECT_EQ(follower->Rollback(20).value(), 31u);
  EXPECT_THAT(follower->Versions(), ElementsAre(10, 20, 30, 31));
}

TEST_F(FilesLabelsTest, RollingBackToALabel) {
  Save(Path("model"), 1);
  auto follower = Follow(dir_.path());
  const uint64_t first = follower->Newest("");
  ASSERT_TRUE(follower->Promote("stable", first).ok());
  Save(Path("model"), 2);
  uint64_t seen = 0;
  while (follower->Newest("") == first) follower->Wait(&seen, Soon());
  const uint64_t back = follower->Rollback(first).value();
  EXPECT_EQ(Take(*follower, back), 1);
  Save(Path("model"), 3);
  while (follower->Newest("") == back) follower->Wait(&seen, Soon());
  EXPECT_GT(follower->Newest(""), back);
  EXPECT_EQ(Take(*follower, follower->Newest("")), 3);
}

TEST_F(FilesLabelsTest, VersionFilesOfOtherIndexesAreIgnored) {
  Save(Path("m-10"), 1);
  Save(Path("m-20"), 2);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(follower->Rollback(10).ok());
  Save(Path("m-21"), 5, 7);
  auto again = FollowAgain(dir_.path());
  const auto held = again->Take(21).value();
  EXPECT_EQ(held->info.rollback_to, 0u);
  EXPECT_EQ(held->info.id.step, 7);
}

TEST_F(FilesLabelsTest, VersionFilesOfAnotherLayout) {
  VersionFile file;
  file.info.id.version = 3;
  std::string text = VersionFileToText(file);
  const std::string layout = StrCat("\"layout\": ", kLayout);
  ASSERT_THAT(text, HasSubstr(layout));
  for (const uint64_t other : {kLayout - 1, kLayout + 1}) {
    std::string changed = text;
    changed.replace(changed.find(layout), layout.size(), StrCat("\"layout\": ", other));
    const Status status = VersionFileFromText(changed).status();
    EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(StrCat("in layout ", other, ", this program reads ",
                                                   "layout ", kLayout, "; use the same release")));
  }
  EXPECT_EQ(VersionFileFromText("{\"version\": 3}").value().info.id.version, 3u);
}

// The version is neither treated as a checkpoint without a version file nor overwritten. The old
// version stays in use.
TEST_F(FilesLabelsTest, AVersionOfAnotherLayout) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(SaveTensors(Path("m-2"), 2).ok());
  ASSERT_TRUE(AtomicWriteFile(Path("m-2.version"), "{\"layout\": 2, \"version\": 77}").ok());
  ASSERT_TRUE(AtomicWriteFile(Path("checkpoint"), "model_checkpoint_path: \"m-2\"\n").ok());
  ASSERT_TRUE(WaitFor(*follower, 2));
  const Status status = follower->Take(2).status();
  EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("m-2.version"));
  EXPECT_THAT(status.message(), HasSubstr("in layout 2, this program reads layout 1"));
  EXPECT_EQ(Take(*follower, 1), 1);
  EXPECT_TRUE(IsFailedPrecondition(ConnectFollower(dir_.path(), Clock::now()).status()));
  Announcement announcement;
  announcement.signature = {{"w", DType::kFloat, Shape{4}}};
  EXPECT_TRUE(IsFailedPrecondition(OpenPublisher(Path("m"), announcement, {}, {}).status()));
}

// Returns a valid file, except for one member whose arrays are nested too deeply for any stack.
std::string Deep(std::string_view member) {
  return StrCat("{\"version\": 1, \"", member, "\": ", std::string(1'000'000, '['),
                std::string(1'000'000, ']'), "}");
}

TEST_F(FilesLabelsTest, BadVersionFiles) {
  VersionFile file;
  file.info.id.version = 3;
  file.info.metrics = {{"loss", 0.5}};
  const std::string good = VersionFileToText(file);
  EXPECT_EQ(VersionFileFromText(good).value().info.metrics, file.info.metrics);
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("{\"version\": 0}"),
        std::string("{\"version\": -1}"), std::string("{\"version\": \"1\"}"),
        std::string("{\"version\": 1, \"step\": 1.5}"),
        std::string("{\"version\": 1, \"source_hash\": 1}"),
        std::string("{\"version\": 1, \"signature\": [{}]}"), good.substr(0, good.size() / 2),
        std::string(100000, '['), Deep("metrics"), Deep("signature"), Deep("other")}) {
    EXPECT_TRUE(IsInvalidArgument(VersionFileFromText(text).status())) << text.substr(0, 60);
  }
  Save(Path("m-1"), 1);
  ASSERT_TRUE(AtomicWriteFile(Path("m-1.version"), "{").ok());
  EXPECT_EQ(Take(*Follow(dir_.path()), 1), 1);
}

}  // namespace
}  // namespace ramet::files
