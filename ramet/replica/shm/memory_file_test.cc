#include "ramet/replica/shm/memory_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace ramet::shm {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;

// Reports whether the first byte of each page is `value`.
bool AllPagesAre(const MemoryFile& file, char value) {
  for (size_t i = 0; i < file.size(); i += 4096) {
    if (file.data()[i] != value) return false;
  }
  return file.data()[file.size() - 1] == value;
}

class MemoryFileTest : public ::testing::TestWithParam<size_t> {};

TEST_P(MemoryFileTest, AllPagesAreAllocatedAndShared) {
  const size_t bytes = GetParam();
  const MemoryFile file =
      MemoryFile::Create("test", bytes, MemoryFile::Access::kOwnerWrites).value();
  ASSERT_EQ(file.size(), bytes);
  EXPECT_TRUE(AllPagesAre(file, 0));
  std::memset(file.data(), 7, bytes);
  const MemoryFile other =
      MemoryFile::Open(FileDescriptor(dup(file.fd())), bytes, MemoryFile::Access::kOwnerWrites)
          .value();
  EXPECT_NE(other.data(), file.data());
  EXPECT_TRUE(AllPagesAre(other, 7));
  file.data()[bytes / 2] = 9;
  EXPECT_EQ(other.data()[bytes / 2], 9);
}

TEST_P(MemoryFileTest, IsAlignedForLargePages) {
  const size_t bytes = GetParam();
  const MemoryFile file = MemoryFile::Create("test", bytes, MemoryFile::Access::kAllWrite).value();
  if (bytes < kLargePage) return;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.data()) % kLargePage, 0u);
}

// Mapping and unmapping handle the same range of addresses, so that adjacent mappings survive.
TEST_P(MemoryFileTest, DoesNotTouchOtherMappings) {
  const size_t bytes = GetParam();
  MemoryFile before = MemoryFile::Create("test", bytes, MemoryFile::Access::kAllWrite).value();
  std::memset(before.data(), 1, bytes);
  for (int i = 0; i < 20; ++i) {
    const MemoryFile file =
        MemoryFile::Create("test", bytes, MemoryFile::Access::kAllWrite).value();
    std::memset(file.data(), 2, bytes);
  }
  EXPECT_TRUE(AllPagesAre(before, 1));
}

// Reading holes would allocate memory in the process that received the file.
TEST(MemoryFileHolesTest, AreRefused) {
  constexpr size_t kBytes = 1 << 20;
  const FileDescriptor fd(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(fd.get(), kBytes), 0);
  ASSERT_EQ(pwrite(fd.get(), "x", 1, 0), 1);
  ASSERT_EQ(fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  const auto opened = [&] {
    return MemoryFile::Open(FileDescriptor(dup(fd.get())), kBytes, MemoryFile::Access::kAllWrite)
        .status();
  };
  EXPECT_TRUE(IsInvalidArgument(opened())) << opened().ToString();
  ASSERT_EQ(posix_fallocate(fd.get(), 0, kBytes), 0);
  EXPECT_TRUE(opened().ok()) << opened().ToString();
}

INSTANTIATE_TEST_SUITE_P(Sizes, MemoryFileTest,
                         ::testing::Values(1, 4096, 12'345, kLargePage - 1, kLargePage,
                                           kLargePage + 4097, 3 * kLargePage - 4096,
                                           3 * kLargePage));

}  // namespace
}  // namespace ramet::shm
