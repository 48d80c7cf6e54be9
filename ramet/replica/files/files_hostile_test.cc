// Tests of folders in which a file is replaced by something else. A follower must not block, read
// without end, or change the target of a link.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "ramet/base/strings.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/files_testing.h"

namespace ramet::files {
namespace {

namespace fs = std::filesystem;

class FilesHostileTest : public ::testing::Test {
 protected:
  FilesHostileTest() {
    EXPECT_TRUE(CreateDir(Folder()).ok());
    Save(Path("m-1"), 1);
  }
  std::string Path(const std::string& name) const { return dir_ / ("followed/" + name); }
  std::string Folder() const { return dir_ / "followed"; }
  StatusOr<std::unique_ptr<FollowerTransport>> Connect() const {
    return ConnectFollower(Folder(), Clock::now() + std::chrono::seconds(1));
  }
  void ReplaceByPipe(const std::string& name) const {
    fs::remove(Path(name));
    ASSERT_EQ(::mkfifo(Path(name).c_str(), 0600), 0);
  }
  const ScratchDir dir_;
};

TEST_F(FilesHostileTest, PipesDoNotBlock) {
  for (const char* name : {"checkpoint", "m-1.meta"}) {
    ReplaceByPipe(name);
    const auto follower = Connect();
    EXPECT_TRUE(follower.ok()) << name << ": " << follower.status().ToString();
  }
  for (const char* name : {"m-1.version", "m-1.index"}) {
    ReplaceByPipe(name);
    const Status status = Connect().status();
    EXPECT_NE(status.message().find("not a regular file"), std::string::npos) << status.ToString();
  }
}

TEST_F(FilesHostileTest, AnEndlessIndexIsNotRead) {
  ASSERT_EQ(::truncate(Path("m-1.index").c_str(), off_t{1} << 42), 0);
  const Status status = FingerprintOf(Path("m-1")).status();
  EXPECT_TRUE(IsInvalidArgument(status)) << status.ToString();
  EXPECT_FALSE(Connect().ok());
}

TEST_F(FilesHostileTest, LocksAreNotLinks) {
  fs::create_symlink(dir_ / "elsewhere", Path("m.publisher"));
  Announcement announcement;
  announcement.signature.push_back({.name = "w", .dtype = DType::kFloat, .shape = Shape{4}});
  EXPECT_FALSE(OpenPublisher(Path("m"), announcement, {}, {}).ok());
  EXPECT_TRUE(CreateDirs(Path("labels")).ok());
  fs::create_symlink(dir_ / "elsewhere", Path("labels/.lock"));
  const auto follower = Connect();
  ASSERT_TRUE(follower.ok());
  EXPECT_FALSE((*follower)->Promote("stable", (*follower)->Newest("")).ok());
  EXPECT_FALSE(fs::exists(dir_ / "elsewhere"));
}

}  // namespace
}  // namespace ramet::files
