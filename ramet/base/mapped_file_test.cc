#include "ramet/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "ramet/base/scratch_dir.h"

namespace ramet {
namespace {

class MappedRangeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>(i % 251);
    ASSERT_TRUE(AtomicWriteFile(path_, content_).ok());
  }
  StatusOr<MappedRange> Map(uint64_t offset, uint64_t n) {
    return MappedRange::Map(path_, GetFileIdentity(path_).value(), offset, n);
  }
  static int64_t Sum(std::string_view bytes) {
    int64_t sum = 0;
    for (char c : bytes) sum += static_cast<uint8_t>(c);
    return sum;
  }
  ScratchDir dir_;
  const std::string path_ = dir_ / "f";
  std::string content_ = std::string(1 << 20, '\0');
};

TEST_F(MappedRangeTest, GivesTheBytes) {
  for (const auto& [offset, n] : {std::pair{0, 1 << 20}, {4095, 2}, {12345, 100'000}, {7, 0}}) {
    MappedRange range = Map(static_cast<uint64_t>(offset), static_cast<uint64_t>(n)).value();
    EXPECT_EQ(range.bytes(), content_.substr(static_cast<size_t>(offset), static_cast<size_t>(n)));
    EXPECT_TRUE(range.CheckIntact().ok());
  }
  EXPECT_TRUE(IsOutOfRange(Map(1 << 20, 1).status()));
  EXPECT_TRUE(IsOutOfRange(Map(1, UINT64_MAX).status()));
}

TEST_F(MappedRangeTest, AFileThatIsShortenedUnderTheMapIsDataLoss) {
  MappedRange range = Map(100, (1 << 20) - 100).value();
  MappedRange untouched = Map(0, 4096).value();
  EXPECT_EQ(range.bytes()[0], content_[100]);
  ASSERT_EQ(::truncate(path_.c_str(), 8192), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_GT(Sum(range.bytes()), 0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(range.bytes().back(), '\0');
  EXPECT_TRUE(IsDataLoss(range.CheckIntact()));
  EXPECT_TRUE(untouched.CheckIntact().ok());
  EXPECT_EQ(untouched.bytes(), content_.substr(0, 4096));
}

TEST_F(MappedRangeTest, AShortenedFileIsDetectedBeforeItsBytesAreRead) {
  MappedRange range = Map(0, 1 << 20).value();
  ASSERT_EQ(::truncate(path_.c_str(), 1000), 0);
  EXPECT_TRUE(IsDataLoss(range.CheckIntact()));
}

TEST_F(MappedRangeTest, AFileThatWasReplacedIsNotMapped) {
  const FileIdentity before = GetFileIdentity(path_).value();
  ASSERT_TRUE(AtomicWriteFile(path_, "other").ok());
  EXPECT_TRUE(IsDataLoss(MappedRange::Map(path_, before, 0, 1).status()));
}

using MappedRangeDeathTest = MappedRangeTest;

TEST_F(MappedRangeDeathTest, OtherBusErrorsStillKill) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [&] {
    MappedRange ours = Map(0, 4096).value();
    const int empty = ::memfd_create("empty", 0);
    void* foreign = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, empty, 0);
    // A process that survives the access exits successfully.
    std::exit(*static_cast<volatile char*>(foreign) * 0);
  };
  EXPECT_DEATH(fault(), "");
}

}  // namespace
}  // namespace ramet
