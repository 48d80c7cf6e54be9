#pragma once

#include <cstdint>
#include <string>

#include "ramet/base/status.h"

namespace ramet::shm {

// Asks the publisher that listens at `socket` to end, and waits until it stops listening. Returns
// its epoch, or 0 if no process listens there.
// \error kPermissionDenied: the publisher does not allow it to this user.
// \error kDeadlineExceeded: the publisher does not answer.
StatusOr<uint64_t> TakeOver(const std::string& socket);

}  // namespace ramet::shm
