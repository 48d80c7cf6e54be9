#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/replica/files/version_file.h"

// A folder of TensorFlow checkpoints as a sequence of versions (docs/replicas-files.md).
namespace ramet::files {

// Whose checkpoints: all of a folder, or those called PREFIX or PREFIX-NUMBER.
struct Place {
  std::string dir;
  std::string prefix;  // empty: any
};

// Of "DIR" or "DIR/PREFIX": a folder if there is one of that path or the text ends with '/', else
// the prefix of checkpoints in its parent folder. \error kNotFound if there is neither a folder nor
// such a checkpoint (yet), or no checkpoint in the folder.
StatusOr<Place> FollowedPlace(const std::string& text);
// The same for a publisher, which makes what is missing: what is not there yet is a folder, unless
// its name ends with ".ckpt". The prefix is "model.ckpt" if none is given. \error of the folders.
StatusOr<Place> PublishedPlace(const std::string& text);

// What an index file is: where it lies, and its bytes.
struct IndexPrint {
  FileIdentity identity;
  uint32_t crc = 0;
  bool operator==(const IndexPrint&) const = default;
  bool SameBytes(const IndexPrint& other) const {
    return identity.size == other.identity.size && crc == other.crc;
  }
};

// Reads the whole index of a checkpoint. \error as RandomAccessFile.
StatusOr<IndexPrint> PrintOf(const std::string& prefix);

// A checkpoint as a version.
struct FoundVersion {
  uint64_t version = 0;
  std::string path;                // the prefix of its files
  IndexPrint index;                // its crc is 0 where nobody has read it
  std::optional<VersionFile> own;  // what Ramet said of it, if that is about this index
};

// The number at the end of "PREFIX-NUMBER"; nothing if there is none or it has more than 18 digits.
std::optional<uint64_t> NumberOf(std::string_view path);

// The checkpoint at `path`. Its version is what its version file says, or the number in its name (1
// for number 0), or, if there is none, when the index was written, in microseconds since 1970.
// \error kNotFound if there is no index, or a publisher has not finished it; kFailedPrecondition if
// its version file is of another layout; as PrintOf.
StatusOr<FoundVersion> FindVersionAt(const std::string& path);

// The path of the newest checkpoint: the one that the state file names, if it is there (by its name
// in this folder, wherever the state file says that the folder is); else the one that was written
// last. \error kNotFound if there is none.
StatusOr<std::string> NewestPath(const Place& place);

// All checkpoints of the place, each version once, oldest first.
std::vector<FoundVersion> ListVersions(const Place& place);

// The label files, which are replaced when labels change.
std::map<std::string, FileIdentity> LabelFiles(const Place& place);
// What is known by labels. Damaged label files are left out.
std::map<std::string, FoundVersion> ReadLabels(const Place& place);

// Copies a version to labels/, where the trainer does not delete it, and makes the file
// labels/NAME.label, a state file as TensorFlow's, name it. \error kNotFound if there is no such
// version; kInvalidArgument for the label; those of the files.
Status PromoteVersion(const Place& place, std::string_view label, uint64_t version);
// Copies a version under the next number and makes the state file name it as the latest. Returns
// its version. \error as Promote.
StatusOr<uint64_t> RollBackTo(const Place& place, uint64_t version);

// What can be said of a folder's publisher by what lies there; its epoch is not.
PublisherStats StatsOf(const Place& place);

// Removes the files of a checkpoint and what Ramet keeps beside it.
Status RemoveVersion(const std::string& path);

// Where a publisher puts the graph that it announces: in PATH.meta, or several in PATH.graphs.
std::string GraphPathOf(const std::string& path, std::string_view announced);
// The file with the graph of a checkpoint: one of these, or the latest .meta of another checkpoint
// of the same name; empty: there is none.
std::string GraphPathFor(const std::string& path);

}  // namespace ramet::files
