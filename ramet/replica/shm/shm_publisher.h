#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::shm {

// Publishes through shared memory to processes on this machine (see docs/replicas.md). Values are
// in a pool of sealed memory that followers map for reading. A Unix socket hands out the
// descriptors. `address` is a name or the path of a socket file.
// \error kAlreadyExists: `address` has a publisher.
// \error kInvalidArgument: the address is invalid, or `retention.retained` is not 1 to 128.
// \error kPermissionDenied: the socket file cannot be created.
// \error kResourceExhausted: the memory for the first versions cannot be reserved.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access);

}  // namespace ramet::shm
