#pragma once

#include <memory>
#include <string>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Follows the checkpoints of a folder ("DIR" or "DIR/PREFIX", docs/replicas-files.md), whoever
// writes them. What it says of versions: their number is the one in the checkpoint's name, or the
// publisher's, or the microseconds of its index. `connected` ends when the folder is removed, when
// its checkpoints begin to have other variables or lower numbers, or another publisher comes: then
// connecting again gives another epoch.
// \error kNotFound if there is no folder or no checkpoint in it (yet); kDataLoss if the newest one
//   is damaged; kFailedPrecondition if it holds no variables.
StatusOr<std::unique_ptr<FollowerTransport>> ConnectFollower(
    const std::string& address, FollowerTransport::Clock::time_point deadline);

}  // namespace ramet::files
