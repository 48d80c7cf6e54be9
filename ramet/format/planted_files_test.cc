// Tests saves where an attacker has put links, pipes and folders under the names of files that a
// save creates, reuses or removes. A save must not change their targets or block on them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "ramet/format/bundle_commit.h"
#include "ramet/format/bundle_testing.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/format/table_writer.h"

namespace ramet {
namespace {

namespace fs = std::filesystem;

const NamedTensors kModel = {{"w", Tensor::Of<float>(Shape{3}, {1, 2, 3})}};
constexpr std::string_view kSpare = ".data-00000-of-00001.tempstate1.ramet";

class PlantedFilesTest : public ::testing::Test {
 protected:
  PlantedFilesTest() {
    EXPECT_TRUE(CreateDir(dir_ / "saved").ok());
    EXPECT_TRUE(AtomicWriteFile(victim_, precious_).ok());
  }
  void SaveAndCheck() {
    ASSERT_EQ(Save(prefix_, kModel).ToString(), "OK");
    ExpectSame(LoadAll(prefix_).value(), kModel);
    EXPECT_EQ(ReadFile(victim_).value(), precious_);
  }
  const ScratchDir dir_;
  const std::string victim_ = dir_ / "victim";
  const std::string precious_ = std::string(300'000, 'p');
  const std::string prefix_ = dir_ / "saved/m";
  const std::string spare_ = StrCat(prefix_, kSpare);
};

TEST_F(PlantedFilesTest, ALinkIsNotASpare) {
  fs::create_symlink(victim_, spare_);
  SaveAndCheck();
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(spare_)));
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(prefix_ + ".data-00000-of-00001")));
}

TEST_F(PlantedFilesTest, AFileWithASecondNameIsNotASpare) {
  fs::create_hard_link(victim_, spare_);
  SaveAndCheck();
}

TEST_F(PlantedFilesTest, APipeAFolderAndADanglingLinkAreNotSpares) {
  const std::string index = StrCat(prefix_, ".index.tempstate2.ramet");
  ASSERT_EQ(::mkfifo(spare_.c_str(), 0600), 0);
  fs::create_directory(StrCat(prefix_, ".data-00000-of-00001.tempstate3.ramet"));
  fs::create_symlink(dir_ / "nothing", index);
  SaveAndCheck();
  EXPECT_FALSE(FileExists(dir_ / "nothing"));
}

TEST_F(PlantedFilesTest, OldLinksAreNotFollowedWhenLeftoversAreRemoved) {
  fs::create_symlink(victim_, spare_);
  Age(dir_ / "saved", 7200);
  Age(dir_.path(), 7200);
  SaveAndCheck();
  EXPECT_EQ(FileLock::Try(spare_), std::nullopt);
}

TEST_F(PlantedFilesTest, ASpareOfThisUserIsOverwritten) {
  ASSERT_TRUE(AtomicWriteFile(spare_, precious_).ok());
  const uint64_t inode = GetFileIdentity(spare_)->inode;
  SaveAndCheck();
  EXPECT_EQ(GetFileIdentity(prefix_ + ".data-00000-of-00001")->inode, inode);
  EXPECT_FALSE(FileExists(spare_));
}

TEST_F(PlantedFilesTest, AReplacedSpareIsNotFollowed) {
  ASSERT_TRUE(AtomicWriteFile(spare_, precious_).ok());
  const std::vector<std::string> leftovers = {spare_};
  auto taken = TemporaryFile::TakeSpare(leftovers);
  ASSERT_TRUE(taken.has_value());
  fs::remove(spare_);
  fs::create_symlink(victim_, spare_);
  auto file = taken->Overwrite();
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Append("x").ok() && file->Close().ok());
  EXPECT_EQ(ReadFile(victim_).value(), precious_);
}

// A user may keep the data elsewhere. A save replaces the link, as TensorFlow does.
TEST_F(PlantedFilesTest, LinksUnderFinalNamesAreReplaced) {
  for (const char* name : {".index", ".data-00000-of-00001"}) {
    fs::create_symlink(victim_, prefix_ + name);
  }
  SaveAndCheck();
  SaveAndCheck();
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(prefix_ + ".index")));
}

TEST_F(PlantedFilesTest, AFolderMayBeALink) {
  fs::create_directory_symlink(dir_ / "saved", dir_ / "link");
  const std::string prefix = dir_ / "link/m";
  ASSERT_EQ(Save(prefix, kModel).ToString(), "OK");
  ASSERT_EQ(Save(prefix, kModel).ToString(), "OK");
  ExpectSame(LoadAll(prefix_).value(), kModel);
}

TEST_F(PlantedFilesTest, AFolderThatALinkReplacesDuringASaveIsKept) {
  fs::create_directory(dir_ / "elsewhere");
  BundleWriter writer = BundleWriter::Create(prefix_).value();
  fs::rename(dir_ / "saved", dir_ / "moved");
  fs::create_directory_symlink(dir_ / "elsewhere", dir_ / "saved");
  ASSERT_TRUE(writer.Add("w", kModel[0].second).ok());
  ASSERT_EQ(writer.Finish().ToString(), "OK");
  EXPECT_TRUE(fs::is_empty(dir_ / "elsewhere"));
  ExpectSame(LoadAll(dir_ / "moved/m").value(), kModel);
}

TEST_F(PlantedFilesTest, ErrorsNameTheFolderOfTheCaller) {
  BundleWriter writer = BundleWriter::Create(prefix_).value();
  for (const auto& file : fs::directory_iterator(dir_ / "saved")) fs::remove(file);
  const Status status = writer.Finish();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find(dir_ / "saved/m.data"), std::string::npos) << status.message();
  EXPECT_EQ(status.message().find("/proc"), std::string::npos) << status.message();
}

TEST_F(PlantedFilesTest, AStateFileThatIsAPipeDoesNotBlock) {
  ASSERT_EQ(::mkfifo((dir_ / "saved/checkpoint").c_str(), 0600), 0);
  EXPECT_FALSE(ReadCheckpointState(dir_ / "saved").ok());
  CheckpointStateInfo state;
  state.model_checkpoint_path = prefix_;
  ASSERT_EQ(WriteCheckpointState(dir_ / "saved", state).ToString(), "OK");
  EXPECT_TRUE(ReadCheckpointState(dir_ / "saved").ok());
}

TEST_F(PlantedFilesTest, NewFilesAreCreatedExclusively) {
  fs::create_symlink(victim_, dir_ / "link");
  EXPECT_TRUE(IsAlreadyExists(WritableFile::CreateNew(dir_ / "link").status()));
  EXPECT_TRUE(IsAlreadyExists(TableWriter::Create(victim_).status()));
  EXPECT_TRUE(IsInvalidArgument(OpenOwnFile(dir_ / "link", O_RDWR | O_CREAT).status()));
  EXPECT_TRUE(IsFailedPrecondition(OpenOwnFile("/dev/null", O_RDWR).status()));
  EXPECT_EQ(ReadFile(victim_).value(), precious_);
}

TEST_F(PlantedFilesTest, NamesWithNewlines) {
  const std::string prefix = dir_ / "saved/m\nmodel_checkpoint_path: \"x";
  ASSERT_EQ(Save(prefix, kModel).ToString(), "OK");
  CheckpointStateInfo state;
  state.model_checkpoint_path = prefix;
  ASSERT_EQ(WriteCheckpointState(dir_ / "saved", state).ToString(), "OK");
  EXPECT_EQ(ReadCheckpointState(dir_ / "saved")->model_checkpoint_path, prefix);
}

}  // namespace
}  // namespace ramet
