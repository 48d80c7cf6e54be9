#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::shm {

// Connects to the publisher of `address` on this machine. What it hands out is mapped for reading
// and checked; nothing that it writes there can make this process read outside of the map.
// \error kNotFound if nobody publishes there; kPermissionDenied if the publisher refuses;
//   kFailedPrecondition for another layout; kInvalidArgument if what it hands over is damaged;
//   kDeadlineExceeded if it says nothing until then.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& address, FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::shm
