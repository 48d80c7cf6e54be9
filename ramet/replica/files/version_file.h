#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Another number when what older programs read in a version file means something else.
inline constexpr uint64_t kLayout = 1;

// What stands in the file PREFIX.version beside a checkpoint that Ramet published (or made by going
// back to an older one): what followers know of a version besides its tensors. The checkpoint is
// complete without it.
struct VersionFile {
  VersionInfo info;            // info.id.epoch 0: that of whatever was the newest version before
  ReplicaSignature signature;  // empty: that of the checkpoint's index
  VersionHashes hashes;        // by whoever had the values; empty: nobody said
  // The index that this is about. 0 bytes: it is being written.
  uint64_t index_bytes = 0;
  uint32_t index_crc = 0;
};

// "PREFIX.version"
std::string VersionFilePath(std::string_view prefix);

// As JSON, and back. \error kInvalidArgument naming what is wrong; kFailedPrecondition for another
// layout.
std::string VersionFileToText(const VersionFile& file);
StatusOr<VersionFile> VersionFileFromText(std::string_view text);

// \error kNotFound if there is none; kInvalidArgument and kFailedPrecondition, with its path;
// kResourceExhausted if it is longer than any that is written.
StatusOr<VersionFile> ReadVersionFile(const std::string& prefix);
Status WriteVersionFile(const std::string& prefix, const VersionFile& file);

}  // namespace ramet::files
