#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Follows the checkpoints of a folder ("DIR" or "DIR/PREFIX", see docs/replicas-files.md), whether
// Ramet or TensorFlow writes them. A version's number is the publisher's if Ramet published it.
// Otherwise it is the number in the checkpoint's name, or else the index's time of modification in
// microseconds. `connected` becomes false when the folder is removed, when its checkpoints change
// their variables or restart at lower numbers, or when a new publisher begins. A new connection
// then has a new epoch.
// \error kNotFound: the folder does not exist or has no checkpoint.
// \error kDataLoss: the newest checkpoint is damaged.
// \error kFailedPrecondition: the newest checkpoint holds no variables.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& address, FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::files
