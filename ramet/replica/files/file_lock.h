#pragma once

#include <string>

#include "ramet/base/status.h"

namespace ramet::files {

// Tries to lock an open file against other processes, until its descriptor is closed. Returns false
// if another process holds the lock. Returns true without a lock on file systems that have none,
// where nothing protects against other processes.
// \error as for ErrnoStatus, with `path`: locking failed for any other reason.
StatusOr<bool> TryLock(int fd, const std::string& path);

}  // namespace ramet::files
