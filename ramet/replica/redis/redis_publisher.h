#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::redis {

// Publishes through a Redis server (see docs/replicas-redis.md). Publish passes the values to a
// thread that sends them. While the server cannot be reached, the newest values wait. `scheme` and
// `location` are the parts of the address.
// \error kAlreadyExists: the name has a publisher.
// \error kInvalidArgument: the address is invalid, or `retention.retained` is not 1 to 1000.
// \error kUnavailable: the server cannot be reached.
// \error kPermissionDenied: the server rejects the login.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& scheme,
                                                            const std::string& location,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            bool takeover);

}  // namespace ramet::redis
