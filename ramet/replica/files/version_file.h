#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

namespace ramet::files {

// Incremented whenever older programs would misread a version file.
inline constexpr uint64_t kLayout = 1;

// The contents of the file PREFIX.version, which Ramet writes next to a checkpoint when it
// publishes one or rolls back to one. It has what followers need to know about a version besides
// its tensors. The checkpoint is complete without it.
struct VersionFile {
  VersionInfo info;            // info.id.epoch 0: the epoch of the previous newest version
  ReplicaSignature signature;  // empty: the signature from the checkpoint's index
  VersionHashes hashes;        // empty: unknown
  // The index file that this belongs to. 0 bytes: it is still being written.
  uint64_t index_bytes = 0;
  uint32_t index_crc = 0;
};

// Returns "PREFIX.version".
std::string VersionFilePath(std::string_view prefix);

// Convert a version file to JSON and back.
// \error kInvalidArgument: the text is malformed. The message says what is wrong.
// \error kFailedPrecondition: the text has a different layout.
std::string VersionFileToText(const VersionFile& file);
StatusOr<VersionFile> VersionFileFromText(std::string_view text);

// Reads the version file of a checkpoint.
// \error kNotFound: there is none.
// \error kInvalidArgument, kFailedPrecondition: as for VersionFileFromText, with the path.
// \error kResourceExhausted: the file is longer than any valid one.
StatusOr<VersionFile> ReadVersionFile(const std::string& prefix);
Status WriteVersionFile(const std::string& prefix, const VersionFile& file);

}  // namespace ramet::files
