#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/transport.h"

namespace ramet::files {

// A version to write: the checkpoint with this path prefix.
struct WrittenVersion {
  VersionInfo info;
  std::string path;
  std::vector<Tensor> values, sources;
};

// A VersionWriter writes versions as checkpoints to a folder, and removes its old ones. Not
// thread-safe.
class VersionWriter {
 public:
  // `address` is for messages. The folder keeps the newest `retained` versions.
  VersionWriter(std::string address, CheckpointFolder folder, int retained)
      : address_(std::move(address)),
        folder_(std::move(folder)),
        retained_(std::max(retained, 1)) {}

  // Begins to write versions of this announcement. Call it before the functions below. Removes the
  // files of a publisher that was killed while writing.
  // \error kFailedPrecondition: the newest version has a layout that this program cannot read.
  Status Begin(const Announcement& announcement);
  // Writes a version and makes it the newest one. On error, removes what was written.
  // \error as for the file operations.
  Status Write(const WrittenVersion& version);
  // Removes old versions of this publisher. Other checkpoints stay.
  void RemoveOld() const;

 private:
  Status CheckLayout() const;
  void RemoveUnfinished() const;
  Status WriteGraph(const std::string& path);
  Status WriteTensors(const WrittenVersion& version) const;
  Status Commit(const WrittenVersion& version, VersionFile own) const;
  std::vector<FoundVersion> OwnVersions() const;
  Status Record(const std::string& latest) const;

  const std::string address_;
  const CheckpointFolder folder_;
  const int retained_;
  const Announcement* announcement_ = nullptr;
  std::string graph_file_;  // the last one written
};

}  // namespace ramet::files
