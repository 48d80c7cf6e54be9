#include "ramet/replica/files/version_writer.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/retention.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/replica/version_hash.h"

namespace ramet::files {
namespace {

constexpr std::string_view kVersionSuffix = ".version";

}  // namespace

Status VersionWriter::Begin(const Announcement& announcement) {
  announcement_ = &announcement;
  RAMET_RETURN_IF_ERROR(CheckLayout());
  RemoveUnfinished();
  return OkStatus();
}

// Fails if the newest version has a layout that this program cannot read, so that versions of
// different layouts are not mixed.
Status VersionWriter::CheckLayout() const {
  const auto path = NewestPath(folder_);
  if (!path.ok()) return OkStatus();
  const Status status = FindVersionAt(*path).status();
  return IsFailedPrecondition(status) ? status : OkStatus();
}

void VersionWriter::RemoveUnfinished() const {
  const std::string any = JoinPath(folder_.dir, folder_.prefix);
  RemoveLeftovers(any, "meta", "checkpoint");
  RemoveLeftovers(any, kVersionSuffix.substr(1), "checkpoint");
  for (const std::string& file : ListDir(folder_.dir).value_or({})) {
    if (!file.ends_with(kVersionSuffix) || !file.starts_with(folder_.prefix)) continue;
    const std::string path =
        JoinPath(folder_.dir, file.substr(0, file.size() - kVersionSuffix.size()));
    const auto own = ReadVersionFile(path);
    if (own.ok() && own->index_bytes == 0) RemoveVersion(path).IgnoreError();
  }
}

// Writes the index after all other files of the version, because a checkpoint without an index does
// not exist for readers. Only the files that refer to it follow.
Status VersionWriter::Write(const WrittenVersion& version) {
  const ReplicaSignature& signature = announcement_->signature;
  VersionFile own{version.info, signature, {}, 0, 0};
  own.hashes.source = SourceHash(signature, version.values, version.sources);
  own.hashes.content = ContentHash(signature, version.values);
  Status status = WriteVersionFile(version.path, own);
  if (status.ok()) status = WriteGraph(version.path);
  if (status.ok()) status = WriteTensors(version);
  if (status.ok()) status = Commit(version, std::move(own));
  if (!status.ok()) RemoveVersion(version.path).IgnoreError();
  return status;
}

// Links to the previous graph file if the file system supports that, or else writes a new one.
Status VersionWriter::WriteGraph(const std::string& path) {
  if (announcement_->graph.empty()) return OkStatus();
  std::string file = GraphPathOf(path, announcement_->graph);
  RAMET_RETURN_IF_ERROR(RemoveIfThere(file));
  if (graph_file_.empty() || ::link(graph_file_.c_str(), file.c_str()) != 0) {
    RAMET_RETURN_IF_ERROR(AtomicWriteFile(file, announcement_->graph));
  }
  graph_file_ = std::move(file);
  return OkStatus();
}

Status VersionWriter::WriteTensors(const WrittenVersion& version) const {
  const ReplicaSignature& signature = announcement_->signature;
  std::vector<size_t> order(signature.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return signature[a].name < signature[b].name; });
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(version.path));
  for (const size_t i : order) {
    RAMET_RETURN_IF_ERROR(writer.Add(signature[i].name, version.values[i]));
  }
  return writer.Finish();
}

Status VersionWriter::Commit(const WrittenVersion& version, VersionFile own) const {
  RAMET_ASSIGN_OR_RETURN(const IndexFingerprint index, FingerprintOf(version.path));
  own.index_bytes = index.identity.size;
  own.index_crc = index.crc;
  RAMET_RETURN_IF_ERROR(WriteVersionFile(version.path, own));
  return Record(version.path);
}

std::vector<FoundVersion> VersionWriter::OwnVersions() const {
  std::vector<FoundVersion> own = ListVersions(folder_);
  std::erase_if(own, [](const FoundVersion& found) { return !found.own; });
  return own;
}

// Makes the state file list the versions that will remain after the old ones are removed.
Status VersionWriter::Record(const std::string& latest) const {
  CheckpointStateInfo state;
  const std::vector<FoundVersion> own = OwnVersions();
  const size_t kept = static_cast<size_t>(retained_);
  for (size_t i = own.size() - std::min(kept, own.size()); i < own.size(); ++i) {
    if (own[i].path != latest) state.all_model_checkpoint_paths.push_back(own[i].path);
  }
  state.model_checkpoint_path = latest;
  return WriteCheckpointState(folder_.dir, std::move(state), {.save_relative_paths = true});
}

void VersionWriter::RemoveOld() const {
  const std::vector<FoundVersion> own = OwnVersions();
  const size_t kept = static_cast<size_t>(retained_);
  for (size_t i = 0; i + kept < own.size(); ++i) {
    if (const Status status = RemoveVersion(own[i].path); !status.ok()) {
      LogWarning("file:", address_, ": cannot remove an old version: ", status.message());
    }
  }
}

}  // namespace ramet::files
