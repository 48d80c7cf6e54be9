#include "ramet/replica/files/file_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ramet/base/file.h"

namespace ramet::files {
namespace {

TEST(FileLock, ExcludesOthersUntilTheDescriptorIsClosed) {
  const std::string path = ::testing::TempDir() + "/file_lock_test.lock";
  FileDescriptor first = OpenOwnFile(path, O_RDWR | O_CREAT).value();
  const FileDescriptor second = OpenOwnFile(path, O_RDWR | O_CREAT).value();
  EXPECT_TRUE(TryLock(first.get(), path).value());
  EXPECT_FALSE(TryLock(second.get(), path).value());
  first = FileDescriptor();
  EXPECT_TRUE(TryLock(second.get(), path).value());
  std::filesystem::remove(path);
}

// A failure that does not mean "no locks here" must not count as a lock.
TEST(FileLock, UnusualFailuresAreErrors) {
  const StatusOr<bool> locked = TryLock(-1, "labels/.lock");
  ASSERT_FALSE(locked.ok());
  EXPECT_THAT(locked.status().message(), ::testing::HasSubstr("cannot lock 'labels/.lock'"));
}

}  // namespace
}  // namespace ramet::files
