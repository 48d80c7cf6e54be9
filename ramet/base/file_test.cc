#include "ramet/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(File, WritesAndReadsBack) {
  ScratchDir dir;
  WritableFile file = WritableFile::Create(dir / "f").value();
  std::string all;
  for (size_t n : {0, 1, 1000, 300000, 7, 262144, 262143, 2}) {
    std::string piece(n, static_cast<char>('a' + n % 26));
    ASSERT_TRUE(file.Append(piece).ok());
    all += piece;
  }
  EXPECT_EQ(file.size(), all.size());
  ASSERT_TRUE(file.Sync().ok());
  EXPECT_EQ(ReadFile(dir / "f").value(), all);
  ASSERT_TRUE(file.Append("!").ok());
  ASSERT_TRUE(file.Close().ok());
  ASSERT_TRUE(file.Close().ok());
  EXPECT_EQ(ReadFile(dir / "f").value(), all + "!");
  EXPECT_TRUE(IsFailedPrecondition(file.Append("after close")));
}

TEST(File, ReadsAtAnyOffsetAndSaysWhereTheFileEnds) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", "0123456789").ok());
  RandomAccessFile file = RandomAccessFile::Open(dir / "f").value();
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.Read(3, 4).value(), "3456");
  EXPECT_EQ(file.Read(10, 0).value(), "");
  file.Prefetch(2, UINT64_MAX);
  Status status = file.Read(8, 3).status();
  EXPECT_TRUE(IsOutOfRange(status));
  EXPECT_THAT(status.message(), HasSubstr(dir / "f"));
  EXPECT_TRUE(IsOutOfRange(file.Read(11, 0).status()));
  EXPECT_TRUE(IsOutOfRange(file.Read(UINT64_MAX, 2).status()));
  EXPECT_TRUE(IsOutOfRange(file.Read(1, UINT64_MAX).status()));
  char buffer[4];
  EXPECT_TRUE(IsOutOfRange(file.Read(8, std::span<char>(buffer))));
  EXPECT_TRUE(IsOutOfRange(file.Read(UINT64_MAX, std::span<char>(buffer))));
}

TEST(File, AFileTruncatedAfterOpening) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", "0123456789").ok());
  RandomAccessFile file = RandomAccessFile::Open(dir / "f").value();
  ASSERT_EQ(::truncate((dir / "f").c_str(), 5), 0);
  EXPECT_EQ(file.Read(0, 5).value(), "01234");
  EXPECT_TRUE(IsOutOfRange(file.Read(2, 8).status()));
}

TEST(File, ErrorsCarryTheCodeAndThePath) {
  ScratchDir dir;
  Status missing = ReadFile(dir / "missing").status();
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_EQ(missing.message(), (dir / "missing") + "; No such file or directory");
  EXPECT_TRUE(IsNotFound(RandomAccessFile::Open(dir / "missing").status()));
  EXPECT_TRUE(IsNotFound(GetFileIdentity(dir / "missing").status()));
  EXPECT_TRUE(IsNotFound(RemoveFile(dir / "missing")));
  EXPECT_TRUE(IsNotFound(RenameFile(dir / "missing", dir / "b")));
  EXPECT_TRUE(IsNotFound(ListDir(dir / "missing").status()));
  EXPECT_TRUE(IsNotFound(WritableFile::Create(dir / "no/such/folder").status()));
  EXPECT_TRUE(IsFailedPrecondition(ReadFile(dir.path()).status()));
  EXPECT_TRUE(IsFailedPrecondition(RandomAccessFile::Open(dir.path()).status()));
  EXPECT_TRUE(IsAlreadyExists(CreateDir(dir.path())));
  EXPECT_TRUE(IsInvalidArgument(ReadFile(dir / std::string("a\0b", 3)).status()));
  EXPECT_TRUE(IsInvalidArgument(CreateDir(dir / std::string("a\0b", 3))));
  EXPECT_TRUE(IsPermissionDenied(ErrnoStatus(EACCES, "x")));
  EXPECT_TRUE(IsResourceExhausted(ErrnoStatus(ENOSPC, "x")));
}

TEST(File, ANamedPipeIsRefusedWithoutBlocking) {
  ScratchDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(IsFailedPrecondition(RandomAccessFile::Open(dir / "pipe").status()));
}

TEST(File, FullDiskIsAPermanentError) {
  if (!FileExists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full here";
  WritableFile file = WritableFile::Create("/dev/full").value();
  EXPECT_TRUE(file.Append("small").ok());
  EXPECT_TRUE(IsResourceExhausted(file.Flush()));
  EXPECT_TRUE(IsResourceExhausted(file.Append(std::string(1 << 20, 'x'))));
  EXPECT_TRUE(IsResourceExhausted(file.Close()));
}

TEST(File, ReadFileHasALimit) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", std::string(5000, 'x')).ok());
  EXPECT_EQ(ReadFile(dir / "f", 5000).value().size(), 5000u);
  EXPECT_TRUE(IsResourceExhausted(ReadFile(dir / "f", 4999).status()));
  EXPECT_TRUE(IsResourceExhausted(ReadFile("/dev/zero", 100000).status()));
}

TEST(File, ReadFileReadsFilesThatReportNoSize) {
  EXPECT_THAT(ReadFile("/proc/self/status").value(), HasSubstr("Pid:"));
}

TEST(File, AtomicWriteReplacesAndLeavesNoTemporaryFile) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", "old").ok());
  FileIdentity before = GetFileIdentity(dir / "f").value();
  ASSERT_TRUE(AtomicWriteFile(dir / "f", "new").ok());
  EXPECT_NE(GetFileIdentity(dir / "f").value(), before);
  EXPECT_EQ(ReadFile(dir / "f").value(), "new");
  EXPECT_THAT(ListDir(dir.path()).value(), ElementsAre("f"));
}

TEST(File, AtomicWriteThatFailsKeepsTheOldFile) {
  ScratchDir dir;
  ASSERT_TRUE(CreateDir(dir / "f").ok());
  ASSERT_TRUE(AtomicWriteFile(dir / "f/inside", "x").ok());
  Status status = AtomicWriteFile(dir / "f", "new");
  EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("writing '" + (dir / "f") + "'"));
  EXPECT_THAT(ListDir(dir.path()).value(), ElementsAre("f"));
}

TEST(File, IdentitySeesARewriteInPlace) {
  ScratchDir dir;
  ASSERT_TRUE(AtomicWriteFile(dir / "f", "a").ok());
  FileIdentity before = GetFileIdentity(dir / "f").value();
  EXPECT_EQ(GetFileIdentity(dir / "f").value(), before);
  EXPECT_EQ(RandomAccessFile::Open(dir / "f").value().identity(), before);
  std::ofstream(dir / "f", std::ios::app) << "b";
  EXPECT_NE(GetFileIdentity(dir / "f").value(), before);
}

TEST(Folder, MakesListsAndRemoves) {
  ScratchDir dir;
  ASSERT_TRUE(CreateDirs(dir / "a/b//c/").ok());
  ASSERT_TRUE(CreateDirs(dir / "a/b/c").ok());
  EXPECT_TRUE(IsDirectory(dir / "a/b/c"));
  ASSERT_TRUE(AtomicWriteFile(dir / "a/z", "").ok());
  EXPECT_FALSE(IsDirectory(dir / "a/z"));
  EXPECT_TRUE(FileExists(dir / "a/z"));
  EXPECT_THAT(ListDir(dir / "a").value(), ElementsAre("b", "z"));
  EXPECT_FALSE(CreateDirs(dir / "a/z/y").ok());
  EXPECT_FALSE(CreateDirs(dir / "a/z").ok());
  EXPECT_TRUE(IsFailedPrecondition(RemoveDir(dir / "a")));
  ASSERT_TRUE(RemoveFile(dir / "a/z").ok());
  ASSERT_TRUE(RemoveDir(dir / "a/b/c").ok());
  EXPECT_FALSE(FileExists(dir / "a/b/c"));
}

TEST(Folder, ALongPathIsAnErrorNotACrash) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "/x";
  EXPECT_FALSE(CreateDirs(ScratchDir() / deep).ok());
}

TEST(Folder, Glob) {
  ScratchDir dir;
  for (const char* name :
       {"m-1.index", "m-1.data-00000-of-00002", "m-1.data-00001-of-00002", ".m-1.x"}) {
    ASSERT_TRUE(AtomicWriteFile(dir / name, "").ok());
  }
  EXPECT_THAT(Glob(dir / "m-1.data-????"
                         "?-of-?????")
                  .value(),
              ElementsAre(dir / "m-1.data-00000-of-00002", dir / "m-1.data-00001-of-00002"));
  EXPECT_THAT(Glob(dir / "m-1.index").value(), ElementsAre(dir / "m-1.index"));
  EXPECT_THAT(Glob(dir / "[n-z]*").value(), IsEmpty());
  EXPECT_THAT(Glob(dir / "nowhere/*").value(), IsEmpty());
}

TEST(Path, MatchesPython) {
  EXPECT_EQ(Basename("a/b"), "b");
  EXPECT_EQ(Basename("a/"), "");
  EXPECT_EQ(Basename("b"), "b");
  EXPECT_EQ(Dirname("a/b"), "a");
  EXPECT_EQ(Dirname("a//b"), "a");
  EXPECT_EQ(Dirname("b"), "");
  EXPECT_EQ(Dirname("/b"), "/");
  EXPECT_EQ(Dirname("//b"), "//");
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
  EXPECT_TRUE(IsAbsolutePath("/a"));
  EXPECT_FALSE(IsAbsolutePath(""));
}

}  // namespace
}  // namespace ramet
