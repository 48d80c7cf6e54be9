#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::shm {

// Publishes through shared memory to processes of this machine (docs/replicas.md). Values lie in a
// pool of sealed memory that followers map for reading; a Unix socket hands out the descriptors.
// \error kAlreadyExists if somebody publishes at `address` (a name, or the path of a socket file);
//   kInvalidArgument, kPermissionDenied for the address; kResourceExhausted if the memory that the
//   first versions need is not to be had.
StatusOr<std::unique_ptr<PublisherTransport>> OpenPublisher(const std::string& address,
                                                            Announcement announcement,
                                                            const RetentionOptions& retention,
                                                            const AccessOptions& access);

}  // namespace ramet::shm
