#include "ramet/base/pinned_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

namespace fs = std::filesystem;

TEST(PinnedFolderTest, KeepsTheFolder) {
  const ScratchDir dir;
  ASSERT_TRUE(CreateDir(dir / "a").ok());
  const PinnedFolder folder(dir / "a/x");
  fs::rename(dir / "a", dir / "b");
  ASSERT_TRUE(CreateDir(dir / "a").ok());
  ASSERT_TRUE(AtomicWriteFile(folder.Pin(dir / "a/y"), "text").ok());
  EXPECT_EQ(ReadFile(dir / "b/y").value(), "text");
  EXPECT_FALSE(FileExists(dir / "a/y"));
}

TEST(PinnedFolderTest, OriginalUndoesPin) {
  const ScratchDir dir;
  for (const std::string& path : {dir / "x", StrCat(dir.path(), "//x"), std::string("x"),
                                  std::string("/x"), std::string("./x")}) {
    const PinnedFolder folder(path);
    EXPECT_NE(folder.Pin(path), path);
    EXPECT_EQ(folder.Original(folder.Pin(path)), path);
    EXPECT_EQ(folder.Original(StrCat("a ", folder.Pin(path), " b ", folder.Pin(path), "; c")),
              StrCat("a ", path, " b ", path, "; c"));
  }
}

TEST(PinnedFolderTest, LeavesOtherPaths) {
  const ScratchDir dir;
  const PinnedFolder folder(dir / "x");
  EXPECT_EQ(folder.Pin(dir / "inner/x"), dir / "inner/x");
  EXPECT_EQ(folder.Pin("/x"), "/x");
  const std::string other = StrCat(Dirname(folder.Pin(dir / "x")), "0/x");
  EXPECT_EQ(folder.Original(other), other);
  const PinnedFolder missing(dir / "nothing/x");
  EXPECT_EQ(missing.Pin(dir / "nothing/x"), dir / "nothing/x");
  EXPECT_EQ(missing.Original("/proc/self/fd/3/x"), "/proc/self/fd/3/x");
}

}  // namespace
}  // namespace ramet
