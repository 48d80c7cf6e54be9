#include "ramet/replica/files/file_lock.h"

#include <sys/file.h>

#include <cerrno>

#include "ramet/base/file.h"
#include "ramet/base/retry.h"
#include "ramet/base/strings.h"

namespace ramet::files {
namespace {

bool HasNoLocks(int error) {
  return error == ENOSYS || error == EOPNOTSUPP || error == EINVAL || error == ENOLCK;
}

}  // namespace

StatusOr<bool> TryLock(int fd, const std::string& path) {
  if (RetryInterrupted([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0) return true;
  const int error = errno;
  if (error == EWOULDBLOCK) return false;
  if (HasNoLocks(error)) return true;
  return ErrnoStatus(error, StrCat("cannot lock '", path, "'"));
}

}  // namespace ramet::files
