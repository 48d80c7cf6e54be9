#pragma once

#include <cstdint>
#include <string>

#include "ramet/base/status.h"

namespace ramet::shm {

// Asks the publisher that listens at `socket` to end, and waits until it listens no more. Returns
// its epoch; 0 if nobody listens there. \error kPermissionDenied if it does not let this user;
//   kDeadlineExceeded if it does not answer.
StatusOr<uint64_t> TakeOver(const std::string& socket);

}  // namespace ramet::shm
