#include "output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "npz.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
namespace rm = ramet;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : folder_(fs::path(::testing::TempDir()) / rm::StrCat("output_", getpid())) {
    fs::create_directory(folder_);
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  std::string Bytes(const std::string& name) const {
    std::ifstream file(At(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  const fs::path folder_;
};

TEST_F(OutputFileTest, CommitReplacesTheFile) {
  std::ofstream(At("f")) << "old";
  {
    OutputFile file(At("f"));
    file.stream() << std::string(200'000, 'x');
    EXPECT_EQ(Bytes("f"), "old");
    ASSERT_TRUE(file.Commit().ok());
  }
  EXPECT_EQ(Bytes("f"), std::string(200'000, 'x'));
  EXPECT_EQ(Count(), 1u);
}

TEST_F(OutputFileTest, UncommittedFileLeavesNothing) {
  { OutputFile(At("f")).stream() << "x"; }
  EXPECT_EQ(Count(), 0u);
  EXPECT_FALSE(OutputFile(At("none/f")).Check().ok());
}

// Symbolic links at predictable names of temporary files must not redirect the output.
TEST_F(OutputFileTest, DoesNotFollowLinksAtPredictableNames) {
  std::ofstream(At("victim")) << "precious";
  for (const char* end : {".tmp", ".temp"}) {
    fs::create_symlink(At("victim"), At(rm::StrCat("a.npz", end, getpid())));
  }
  auto writer = NpzWriter::Create(At("a.npz"), false).value();
  ASSERT_TRUE(writer.Add("v", rm::Tensor::Vector<float>({1, 2, 3})).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(Bytes("victim"), "precious");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(At("a.npz"))));
}

TEST_F(OutputFileTest, NewFilesReplaceNothing) {
  std::ofstream(At("victim")) << "precious";
  fs::create_symlink(At("victim"), At("link"));
  fs::create_symlink(At("none"), At("dangling"));
  for (const char* name : {"victim", "link", "dangling"}) {
    EXPECT_EQ(CreateNewFile(At(name)), -1) << name;
    EXPECT_EQ(errno, EEXIST) << name;
  }
  EXPECT_EQ(Bytes("victim"), "precious");
  EXPECT_FALSE(fs::exists(At("none")));
}

}  // namespace
}  // namespace cli
