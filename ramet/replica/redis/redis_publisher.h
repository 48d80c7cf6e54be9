#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::redis {

// Publishes through a Redis server (docs/replicas.md). Publish hands the values to a thread that
// sends them; while the server cannot be reached the newest ones wait. `scheme` and `place` are
// those of the address. \error kAlreadyExists if somebody publishes under that name;
//   kInvalidArgument for the address; kUnavailable if there is no server; kPermissionDenied if it
//   does not let us in.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& scheme,
                                                            const std::string& place,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            bool takeover);

}  // namespace ramet::redis
