#include "ramet/replica/files/checkpoint_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/retention.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/replica/announced_graph.h"
#include "ramet/replica/files/file_lock.h"
#include "ramet/replica/files/version_reader.h"

namespace ramet::files {
namespace {

constexpr std::string_view kGraphs = ".graphs";
constexpr std::string_view kDefaultPrefix = "model.ckpt";
constexpr size_t kMaxDigits = 18;
// Enough for a million variables with long names. The limit matters because a sparse file can be
// long without taking up space.
constexpr uint64_t kMaxIndexBytes = uint64_t{1} << 30;
constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

std::string WithoutSlashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

CheckpointFolder AsFolder(const std::string& text) { return {WithoutSlashes(text), ""}; }

CheckpointFolder AsPrefix(const std::string& text) {
  const std::string_view dir = Dirname(text);
  return {dir.empty() ? "." : std::string(dir), std::string(Basename(text))};
}

// Returns "m" for "m-12", or else the name itself.
std::string_view WithoutNumber(std::string_view name) {
  if (!NumberOf(name)) return name;
  return name.substr(0, name.rfind('-'));
}

bool Matches(const CheckpointFolder& folder, std::string_view name) {
  return !name.empty() && (folder.prefix.empty() || name == folder.prefix ||
                           (NumberOf(name) && WithoutNumber(name) == folder.prefix));
}

std::string IndexPath(std::string_view prefix) { return StrCat(prefix, kIndexSuffix); }

// Returns the prefixes of the folder's checkpoints.
std::vector<std::string> Prefixes(const CheckpointFolder& folder) {
  std::vector<std::string> found;
  for (const std::string& file : ListDir(folder.dir).value_or({})) {
    if (!file.ends_with(kIndexSuffix)) continue;
    const std::string name = file.substr(0, file.size() - kIndexSuffix.size());
    if (Matches(folder, name)) found.push_back(JoinPath(folder.dir, name));
  }
  return found;
}

uint64_t VersionByName(const std::string& path, const FileIdentity& index) {
  if (const auto number = NumberOf(path)) return std::max<uint64_t>(*number, 1);
  return static_cast<uint64_t>(std::max<int64_t>(index.mtime_ns / 1000, 1));
}

// Returns the size of the data files of the folder's checkpoints.
uint64_t BytesOf(const CheckpointFolder& folder) {
  uint64_t bytes = 0;
  for (const std::string& file : ListDir(folder.dir).value_or({})) {
    const size_t data = file.rfind(".data-");
    if (data == file.npos || !Matches(folder, std::string_view(file).substr(0, data))) continue;
    const auto identity = GetFileIdentity(JoinPath(folder.dir, file));
    if (identity.ok()) bytes += identity->size;
  }
  return bytes;
}

std::string WrittenLast(const std::vector<std::string>& prefixes) {
  std::string last;
  std::pair<int64_t, uint64_t> best;
  for (const std::string& prefix : prefixes) {
    const auto identity = GetFileIdentity(IndexPath(prefix));
    if (!identity.ok()) continue;
    const std::pair when{identity->mtime_ns, NumberOf(prefix).value_or(0)};
    if (!last.empty() && when <= best) continue;
    last = prefix;
    best = when;
  }
  return last;
}

}  // namespace

std::optional<uint64_t> NumberOf(std::string_view path) {
  const std::string_view name = Basename(path);
  const size_t dash = name.rfind('-');
  if (dash == name.npos || dash == 0) return std::nullopt;
  const std::string_view digits = name.substr(dash + 1);
  if (digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

StatusOr<CheckpointFolder> FollowedFolder(const std::string& text) {
  RAMET_RETURN_IF_ERROR(CheckPath(text));
  if (IsDirectory(text)) return AsFolder(text);
  if (text.ends_with('/')) return NotFound("folder '", text, "' does not exist");
  CheckpointFolder folder = AsPrefix(text);
  if (!Prefixes(folder).empty()) return folder;
  return NotFound("'", text, "' is neither a folder nor the prefix of a checkpoint");
}

StatusOr<CheckpointFolder> PublishedFolder(const std::string& text) {
  RAMET_RETURN_IF_ERROR(CheckPath(text));
  const bool is_prefix = !text.ends_with('/') && !IsDirectory(text) &&
                         (text.ends_with(".ckpt") || !Prefixes(AsPrefix(text)).empty());
  CheckpointFolder folder = is_prefix ? AsPrefix(text) : AsFolder(text);
  if (folder.prefix.empty()) folder.prefix = kDefaultPrefix;
  RAMET_RETURN_IF_ERROR(CreateDirs(folder.dir));
  return folder;
}

StatusOr<IndexFingerprint> FingerprintOf(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(const RandomAccessFile file, RandomAccessFile::Open(IndexPath(prefix)));
  if (file.size() > kMaxIndexBytes) {
    return InvalidArgument(file.path(), "; the index has ", file.size(), " bytes; the limit is ",
                           kMaxIndexBytes);
  }
  uint32_t crc = 0;
  for (uint64_t at = 0; at < file.size(); at += kPieceBytes) {
    RAMET_ASSIGN_OR_RETURN(const std::string piece,
                           file.Read(at, std::min(kPieceBytes, file.size() - at)));
    crc = crc32c::Extend(crc, piece.data(), piece.size());
  }
  return IndexFingerprint{file.identity(), crc};
}

StatusOr<FoundVersion> FindVersionAt(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(const IndexFingerprint index, FingerprintOf(path));
  FoundVersion found{VersionByName(path, index.identity), path, index, std::nullopt};
  auto own = ReadVersionFile(path);
  if (IsFailedPrecondition(own.status())) return own.status();
  if (own.ok() && own->index_bytes == 0) return NotFound(path, " is being published");
  if (!own.ok() || own->index_bytes != index.identity.size || own->index_crc != index.crc) {
    return found;
  }
  found.version = own->info.id.version;
  found.own = *std::move(own);
  return found;
}

StatusOr<std::string> NewestPath(const CheckpointFolder& folder) {
  if (const auto state = ReadCheckpointState(folder.dir); state.ok()) {
    const std::string_view name = Basename(state->model_checkpoint_path);
    std::string path = JoinPath(folder.dir, name);
    if (Matches(folder, name) && FileExists(IndexPath(path))) return path;
  }
  std::string last = WrittenLast(Prefixes(folder));
  if (!last.empty()) return last;
  return NotFound("there is no checkpoint in folder '", folder.dir, "'",
                  folder.prefix.empty() ? "" : StrCat(" called ", folder.prefix), " yet");
}

std::vector<FoundVersion> ListVersions(const CheckpointFolder& folder) {
  std::map<uint64_t, FoundVersion> by_version;
  for (const std::string& path : Prefixes(folder)) {
    FoundVersion found{0, path, {}, std::nullopt};
    if (FileExists(VersionFilePath(path))) {
      auto read = FindVersionAt(path);
      if (!read.ok()) continue;
      found = *std::move(read);
    } else {
      const auto identity = GetFileIdentity(IndexPath(path));
      if (!identity.ok()) continue;
      found.index.identity = *identity;
      found.version = VersionByName(path, *identity);
    }
    FoundVersion& known = by_version[found.version];
    const bool later = found.index.identity.mtime_ns >= known.index.identity.mtime_ns;
    if (known.path.empty() || later) known = std::move(found);
  }
  std::vector<FoundVersion> versions;
  for (auto& entry : by_version) versions.push_back(std::move(entry.second));
  return versions;
}

PublisherStats StatsOf(const CheckpointFolder& folder) {
  PublisherStats stats;
  const std::vector<FoundVersion> versions = ListVersions(folder);
  stats.published = versions.size();
  for (const auto& [label, found] : ReadLabels(folder)) stats.labels[label] = found.version;
  stats.bytes_in_use = BytesOf(folder);
  const auto path = NewestPath(folder);
  if (!path.ok()) return stats;
  const auto newest = FindVersionAt(*path);
  if (!newest.ok()) return stats;
  stats.version = newest->version;
  if (newest->own && newest->own->info.id.epoch != 0) stats.published = newest->version;
  stats.time_nanos = newest->own ? newest->own->info.time_nanos : newest->index.identity.mtime_ns;
  stats.step = newest->own ? newest->own->info.id.step : -1;
  if (stats.step < 0) stats.step = StepOf(*path, newest->own ? "" : *path);
  return stats;
}

bool HasPublisher(const CheckpointFolder& folder) {
  return std::ranges::any_of(ListDir(folder.dir).value_or({}), [&](const std::string& file) {
    if (!file.ends_with(kPublisherSuffix)) return false;
    const std::string_view prefix =
        std::string_view(file).substr(0, file.size() - kPublisherSuffix.size());
    if (!folder.prefix.empty() && prefix != folder.prefix) return false;
    const std::string path = JoinPath(folder.dir, file);
    const auto fd = OpenOwnFile(path, O_RDONLY);
    return fd.ok() && !TryLock(fd->get(), path).value_or(true);
  });
}

Status RemoveVersion(const std::string& path) {
  Status status = RemoveCheckpoint(path);
  status.Update(RemoveIfThere(StrCat(path, kGraphs)));
  status.Update(RemoveIfThere(VersionFilePath(path)));
  return status;
}

std::string GraphPathOf(const std::string& path, std::string_view announced) {
  return StrCat(path, AnnouncedModels(announced).empty() ? ".meta" : kGraphs);
}

std::string GraphPathFor(const std::string& path) {
  for (std::string own : {StrCat(path, ".meta"), StrCat(path, kGraphs)}) {
    if (FileExists(own)) return own;
  }
  std::string latest;
  int64_t when = 0;
  for (const std::string& meta : MetaGraphsOfBasePath(path, "meta")) {
    const auto identity = GetFileIdentity(meta);
    if (!identity.ok() || (!latest.empty() && identity->mtime_ns < when)) continue;
    when = identity->mtime_ns;
    latest = meta;
  }
  return latest;
}

}  // namespace ramet::files
