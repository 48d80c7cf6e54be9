#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/replica/files/version_file.h"

// Treats a folder of TensorFlow checkpoints as a sequence of versions (see docs/replicas-files.md).
namespace ramet::files {

// Ends the name of the file that a publisher locks: "PREFIX.publisher".
inline constexpr std::string_view kPublisherSuffix = ".publisher";
// Ends the name of the index file of a checkpoint.
inline constexpr std::string_view kIndexSuffix = ".index";

// A folder and the checkpoints in it to use: all of them, or those named PREFIX or PREFIX-NUMBER.
struct CheckpointFolder {
  std::string dir;
  std::string prefix;  // empty: all checkpoints
};

// Parses "DIR" or "DIR/PREFIX" for a follower. The text is a folder if there is one at that path or
// if it ends with '/'. Otherwise its last part is the prefix of checkpoints in the parent folder.
// \error kNotFound: there is neither such a folder nor such a checkpoint.
StatusOr<CheckpointFolder> FollowedFolder(const std::string& text);
// Parses "DIR" or "DIR/PREFIX" for a publisher and creates missing folders. A path that does not
// exist is a folder, unless its name ends with ".ckpt". The default prefix is "model.ckpt".
// \error as for CreateDirs.
StatusOr<CheckpointFolder> PublishedFolder(const std::string& text);

// Identifies an index file by its file identity and a checksum of its bytes.
struct IndexFingerprint {
  FileIdentity identity;
  uint32_t crc = 0;
  bool operator==(const IndexFingerprint&) const = default;
  bool SameBytes(const IndexFingerprint& other) const {
    return identity.size == other.identity.size && crc == other.crc;
  }
};

// Reads the whole index of a checkpoint.
// \error kInvalidArgument: the index is larger than 1 GiB.
// \error as for RandomAccessFile.
StatusOr<IndexFingerprint> FingerprintOf(const std::string& prefix);

// A checkpoint and its version number.
struct FoundVersion {
  uint64_t version = 0;
  std::string path;                // prefix of the checkpoint's files
  IndexFingerprint index;          // its crc is 0 if the index has not been read
  std::optional<VersionFile> own;  // the version file, if it belongs to this index
};

// Returns NUMBER of "PREFIX-NUMBER", or nothing if there is none or it has more than 18 digits.
std::optional<uint64_t> NumberOf(std::string_view path);

// Returns the checkpoint at `path`. The version comes from the version file. Without one it is the
// number in the name (1 for number 0), or else the index's time of modification in microseconds
// since 1970.
// \error kNotFound: there is no index, or a publisher has not finished it.
// \error kFailedPrecondition: the version file has a different layout.
// \error as for FingerprintOf.
StatusOr<FoundVersion> FindVersionAt(const std::string& path);

// Returns the path of the newest checkpoint. This is the one that the state file names, if it
// exists; only its name counts, not the folder in the state file. Otherwise it is the one that was
// written last.
// \error kNotFound: there is no checkpoint.
StatusOr<std::string> NewestPath(const CheckpointFolder& folder);

// Returns all checkpoints of the folder, each version once, oldest first.
std::vector<FoundVersion> ListVersions(const CheckpointFolder& folder);

// Returns the label files. A label file is replaced when its label changes.
std::map<std::string, FileIdentity> LabelFiles(const CheckpointFolder& folder);
// Returns the labeled versions by label. Damaged label files are skipped.
std::map<std::string, FoundVersion> ReadLabels(const CheckpointFolder& folder);

// Copies a version to labels/, where the trainer does not delete it. Makes labels/NAME.label, a
// state file in TensorFlow's format, name the copy.
// \error kNotFound: there is no such version.
// \error kInvalidArgument: the label is invalid.
// \error as for the file operations.
Status PromoteVersion(const CheckpointFolder& folder, std::string_view label, uint64_t version);
// Copies a version under the next number, makes the state file name the copy as the latest
// checkpoint, and returns its version.
// \error as for PromoteVersion.
StatusOr<uint64_t> RollBackTo(const CheckpointFolder& folder, uint64_t version);

// Derives a publisher's statistics from the files in its folder, except for the epoch. A publisher
// numbers its versions from 1; in a folder that only a saver writes to, `published` counts the
// checkpoints that are there.
PublisherStats StatsOf(const CheckpointFolder& folder);

// Reports whether a process publishes to the folder: it holds the lock of a "PREFIX.publisher".
// Returns false on file systems without locks.
bool HasPublisher(const CheckpointFolder& folder);

// Removes the files of a checkpoint and Ramet's files next to it.
Status RemoveVersion(const std::string& path);

// Returns the path for the graph that a publisher announces: PATH.meta, or PATH.graphs if it holds
// several models.
std::string GraphPathOf(const std::string& path, std::string_view announced);
// Returns the file with the graph of a checkpoint, or an empty string if there is none. This is one
// of GraphPathOf's, or the newest .meta file of a checkpoint with the same base name.
std::string GraphPathFor(const std::string& path);

}  // namespace ramet::files
