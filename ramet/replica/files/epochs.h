#pragma once

#include <cstdint>
#include <string>

namespace ramet::files {

// A folder that no Ramet publisher writes to has one epoch: when it was made, in 16ths of
// microseconds since 1970, or 1 where the file system does not tell. When the numbers of its
// checkpoints begin again lower, whoever sees that begins another one, for this process.
uint64_t EpochOf(const std::string& dir);
void BeginEpoch(const std::string& dir);

}  // namespace ramet::files
