#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::redis {

// Connects to what is published on a Redis server; `scheme` and `place` are those of the address.
// The connection is made anew when it is cut, for as long as the publisher's epoch lasts. Nothing
// that a server sends makes this process crash, hang or take more memory than the signature that it
// has accepted needs. \error kNotFound if nothing is published under that name; kUnavailable if
//   there is no server; kPermissionDenied if it does not let us in; kFailedPrecondition for another
//   layout; kInvalidArgument for the address; kDataLoss for what is damaged; kResourceExhausted for
//   what is larger than this machine's memory, or option max_bytes.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& scheme, const std::string& place,
    FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::redis
