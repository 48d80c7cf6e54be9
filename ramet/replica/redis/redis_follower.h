#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::redis {

// Follows a publication on a Redis server. `scheme` and `location` are the parts of the address. A
// connection that is cut is made again, for as long as the publisher's epoch lasts. No data from
// the server can make this process crash, hang, or use more memory than the accepted signature
// needs.
// \error kNotFound: nothing is published under that name.
// \error kUnavailable: the server cannot be reached.
// \error kPermissionDenied: the server rejects the login.
// \error kFailedPrecondition: the publication has a different layout.
// \error kInvalidArgument: the address is invalid.
// \error kDataLoss: the publication is damaged.
// \error kResourceExhausted: the values are larger than this machine's memory or option max_bytes.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& scheme, const std::string& location,
    FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::redis
