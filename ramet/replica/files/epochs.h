#pragma once

#include <cstdint>
#include <string>

namespace ramet::files {

// Returns the epoch of a folder that no Ramet publisher writes to. It is the folder's time of
// creation in sixteenths of microseconds since 1970, or 1 if the file system does not record it,
// unless BeginEpoch has set a later one.
uint64_t EpochOf(const std::string& dir);
// Begins a new epoch of the folder, for this process only. A follower calls it when the numbers of
// the checkpoints restart at a lower value.
void BeginEpoch(const std::string& dir);

}  // namespace ramet::files
