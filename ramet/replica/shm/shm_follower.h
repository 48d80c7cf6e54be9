#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::shm {

// Connects to the publisher at `address` on this machine. The publisher's memory is mapped for
// reading and checked. Nothing that the publisher writes there can make this process read outside
// of the mapping.
// \error kNotFound: the address has no publisher.
// \error kPermissionDenied: the publisher refuses the connection.
// \error kFailedPrecondition: the publisher uses a different layout.
// \error kInvalidArgument: the publisher sends damaged data.
// \error kDeadlineExceeded: the publisher does not greet by `deadline`.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& address, FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::shm
