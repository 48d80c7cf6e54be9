#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/format/checkpoint_copy.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/file_lock.h"
#include "ramet/replica/files/version_reader.h"
#include "ramet/replica/version_limits.h"

namespace ramet::files {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kLabel = ".label";
constexpr auto kLockWait = std::chrono::seconds(10);
constexpr auto kCopyWait = std::chrono::seconds(2);
constexpr auto kLockPollInterval = std::chrono::milliseconds(5);

std::string LabelsDir(const CheckpointFolder& folder) { return JoinPath(folder.dir, "labels"); }

Status CheckLabel(std::string_view label) {
  const auto is_fine = [](char c) { return c > ' ' && c != '/' && c != '\x7f'; };
  if (!label.empty() && label.size() <= kMaxLabelBytes && label.front() != '.' &&
      std::ranges::all_of(label, is_fine)) {
    return OkStatus();
  }
  return InvalidArgument("a label must be a name of 1 to ", kMaxLabelBytes,
                         " bytes without '/' and spaces that does not begin with '.', but '", label,
                         "' is not");
}

// Locks the folder against other processes that change labels or roll back. There is no protection
// on file systems without locks.
StatusOr<FileDescriptor> LockChanges(const CheckpointFolder& folder) {
  RAMET_RETURN_IF_ERROR(CreateDirs(LabelsDir(folder)));
  const std::string path = JoinPath(LabelsDir(folder), ".lock");
  RAMET_ASSIGN_OR_RETURN(FileDescriptor fd, OpenOwnFile(path, O_RDWR | O_CREAT));
  const auto deadline = Clock::now() + kLockWait;
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const bool is_locked, TryLock(fd.get(), path));
    if (is_locked) return fd;
    if (Clock::now() > deadline) {
      return Unavailable("another process holds the lock '", path, "'; try again");
    }
    std::this_thread::sleep_for(kLockPollInterval);
  }
}

// Prefers copies that labels name, because they are never overwritten.
StatusOr<FoundVersion> Find(const CheckpointFolder& folder, uint64_t version) {
  for (const auto& [label, found] : ReadLabels(folder)) {
    if (found.version == version) return found;
  }
  for (FoundVersion& found : ListVersions(folder)) {
    if (found.version == version) return std::move(found);
  }
  std::vector<uint64_t> there;
  for (const FoundVersion& found : ListVersions(folder)) there.push_back(found.version);
  return NotFound("folder '", folder.dir, "' does not keep version ", version,
                  there.empty() ? "" : "; it has ", StrJoin(there, ", "));
}

Status CopyFiles(const std::string& from, const std::string& to) {
  RAMET_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(from));
  return CopyCheckpoint(reader, to);
}

// Copies the tensors of a checkpoint. They all come from one save, even if the checkpoint is being
// overwritten.
Status CopyTensors(const FoundVersion& from, const std::string& to) {
  const auto deadline = Clock::now() + kCopyWait;
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const FoundVersion before, FindVersionAt(from.path));
    if (before.version != from.version) {
      return NotFound(from.path, " was overwritten: version ", from.version, " is gone");
    }
    const Status copied = CopyFiles(from.path, to);
    const auto after = FingerprintOf(from.path);
    if (copied.ok() && after.ok() && *after == before.index) return OkStatus();
    if (IsResourceExhausted(copied) || Clock::now() > deadline) {
      RemoveCheckpoint(to).IgnoreError();
      return copied.ok() ? NotFound(from.path, " is overwritten too often to be copied") : copied;
    }
    std::this_thread::sleep_for(kLockPollInterval);
  }
}

// Copies a version to a different prefix, where it is described by `info`.
Status CopyVersion(const FoundVersion& from, const std::string& to, const VersionInfo& info) {
  RAMET_RETURN_IF_ERROR(CopyTensors(from, to));
  Status status;
  if (const std::string file = GraphPathFor(from.path); !file.empty()) {
    const auto graph = ReadRegularFile(file);
    status = graph.ok() ? AtomicWriteFile(GraphPathOf(to, *graph), *graph) : graph.status();
  }
  VersionFile own = from.own.value_or(VersionFile());
  own.info = info;
  if (own.info.id.step < 0) own.info.id.step = StepOf(to, from.path);
  const auto index = FingerprintOf(to);
  status.Update(index.status());
  if (index.ok()) {
    own.index_bytes = index->identity.size;
    own.index_crc = index->crc;
    status.Update(WriteVersionFile(to, own));
  }
  if (!status.ok()) RemoveVersion(to).IgnoreError();
  return status;
}

VersionInfo InfoOf(const FoundVersion& found) {
  if (found.own) return found.own->info;
  VersionInfo info;
  info.id.version = found.version;
  info.id.step = -1;
  info.time_nanos = found.index.identity.mtime_ns;
  return info;
}

// Returns the name under which a label keeps a version. A later save of the same name gets a
// different one.
std::string KeptName(const FoundVersion& found) {
  std::string name(Basename(found.path));
  if (NumberOf(name) == found.version) return name;
  return StrCat(name, "-", found.version);
}

// Removes the copies that no label names.
void RemoveUnnamed(const CheckpointFolder& folder) {
  std::set<std::string> named;
  for (const auto& [label, found] : ReadLabels(folder)) named.insert(found.path);
  for (const std::string& file : ListDir(LabelsDir(folder)).value_or({})) {
    if (!file.ends_with(kIndexSuffix)) continue;
    const std::string path =
        JoinPath(LabelsDir(folder), file.substr(0, file.size() - kIndexSuffix.size()));
    if (!named.contains(path)) RemoveVersion(path).IgnoreError();
  }
}

// Removes rollbacks that are no longer the newest version, except those of publishers, which remove
// them themselves.
void RemoveOldRollbacks(const CheckpointFolder& folder, const std::string& newest) {
  for (const FoundVersion& found : ListVersions(folder)) {
    const bool is_rollback = found.own && found.own->info.rollback_to != 0;
    if (!is_rollback || found.own->info.id.epoch != 0 || found.path == newest) continue;
    RemoveVersion(found.path).IgnoreError();
  }
}

// Returns "DIR/m-NUMBER" for the next version after `newest`.
std::string NextPath(const CheckpointFolder& folder, const FoundVersion& newest, uint64_t version) {
  std::string name(Basename(newest.path));
  uint64_t number = version;
  if (NumberOf(name)) {
    name.erase(name.rfind('-'));
    number = 0;
    for (const FoundVersion& found : ListVersions(folder)) {
      number = std::max(number, NumberOf(found.path).value_or(0));
    }
    ++number;
  }
  return JoinPath(folder.dir, StrCat(name, "-", number));
}

// Adds a checkpoint to the state file as the latest one.
Status RecordLatest(const CheckpointFolder& folder, const std::string& path) {
  CheckpointStateInfo state;
  if (auto before = ReadCheckpointState(folder.dir); before.ok()) state = *std::move(before);
  state.model_checkpoint_path = path;
  state.all_model_checkpoint_paths.push_back(path);
  if (!state.all_model_checkpoint_timestamps.empty()) {
    state.all_model_checkpoint_timestamps.push_back(static_cast<double>(WallClockNanos()) / 1e9);
  }
  return WriteCheckpointState(folder.dir, std::move(state), {.save_relative_paths = true});
}

}  // namespace

std::map<std::string, FileIdentity> LabelFiles(const CheckpointFolder& folder) {
  std::map<std::string, FileIdentity> files;
  const std::string labels_dir = LabelsDir(folder);
  for (const std::string& file : ListDir(labels_dir).value_or({})) {
    if (!file.ends_with(kLabel)) continue;
    const auto identity = GetFileIdentity(JoinPath(labels_dir, file));
    if (identity.ok()) files.emplace(file, *identity);
  }
  return files;
}

std::map<std::string, FoundVersion> ReadLabels(const CheckpointFolder& folder) {
  std::map<std::string, FoundVersion> labels;
  const std::string labels_dir = LabelsDir(folder);
  for (const std::string& file : ListDir(labels_dir).value_or({})) {
    if (!file.ends_with(kLabel)) continue;
    const std::string label = file.substr(0, file.size() - kLabel.size());
    const auto state = ReadCheckpointState(labels_dir, file);
    if (!state.ok() || !CheckLabel(label).ok()) continue;
    const std::string_view name = Basename(state->model_checkpoint_path);
    if (name.empty() || name == "." || name == "..") continue;
    auto found = FindVersionAt(JoinPath(labels_dir, name));
    if (found.ok()) labels.emplace(label, *std::move(found));
  }
  return labels;
}

Status PromoteVersion(const CheckpointFolder& folder, std::string_view label, uint64_t version) {
  RAMET_RETURN_IF_ERROR(CheckLabel(label));
  RAMET_ASSIGN_OR_RETURN(const FoundVersion found, Find(folder, version));
  RAMET_ASSIGN_OR_RETURN(const FileDescriptor lock, LockChanges(folder));
  const std::string path = JoinPath(LabelsDir(folder), KeptName(found));
  const auto kept = FindVersionAt(path);
  if (path != found.path && !(kept.ok() && kept->own && kept->version == version)) {
    RAMET_RETURN_IF_ERROR(CopyVersion(found, path, InfoOf(found)));
  }
  CheckpointStateInfo state;
  state.model_checkpoint_path = path;
  RAMET_RETURN_IF_ERROR(
      WriteCheckpointState(LabelsDir(folder), std::move(state),
                           {.filename = StrCat(label, kLabel), .save_relative_paths = true}));
  RemoveUnnamed(folder);
  return OkStatus();
}

StatusOr<uint64_t> RollBackTo(const CheckpointFolder& folder, uint64_t version) {
  RAMET_ASSIGN_OR_RETURN(const FileDescriptor lock, LockChanges(folder));
  RAMET_ASSIGN_OR_RETURN(const FoundVersion target, Find(folder, version));
  RAMET_ASSIGN_OR_RETURN(const std::string newest_path, NewestPath(folder));
  RAMET_ASSIGN_OR_RETURN(const FoundVersion newest, FindVersionAt(newest_path));
  VersionInfo info = InfoOf(target);
  info.id.epoch = newest.own ? newest.own->info.id.epoch : 0;
  info.id.version = newest.version + 1;
  info.time_nanos = WallClockNanos();
  info.rollback_to = version;
  const std::string path = NextPath(folder, newest, info.id.version);
  RAMET_RETURN_IF_ERROR(CopyVersion(target, path, info));
  if (const Status recorded = RecordLatest(folder, path); !recorded.ok()) {
    RemoveVersion(path).IgnoreError();
    return recorded;
  }
  RemoveOldRollbacks(folder, path);
  return info.id.version;
}

}  // namespace ramet::files
