#include "ramet/checkpoint/checkpoint_management.h"

#include <utility>

#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/checkpoint/retention.h"
#include "ramet/format/bundle_commit.h"

namespace ramet {
namespace {

constexpr char kAnyShard[] =
    "-"
    "?????"
    "-of-";

std::string EscapeGlob(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Returns a glob pattern for the files of a V1 checkpoint: a single file, or "m-?????-of-00002".
std::string V1Pattern(const std::string& prefix) {
  const size_t shard = prefix.rfind(kAnyShard);
  if (shard == std::string::npos) return EscapeGlob(prefix);
  return EscapeGlob(prefix.substr(0, shard)) + prefix.substr(shard);
}

std::vector<std::string> FilesOf(const std::string& prefix, SaverNames::Format format) {
  if (format != SaverNames::Format::kV2) {
    return Glob(V1Pattern(prefix)).value_or({});
  }
  std::vector<std::string> files = {StrCat(prefix, ".index")};
  const std::string data = StrCat(EscapeGlob(prefix), ".data", kAnyShard, "?????");
  for (std::string& file : Glob(data).value_or({})) files.push_back(std::move(file));
  return files;
}

// Returns the file whose existence defines a checkpoint, or an empty string if there is none.
std::string MainFile(const std::string& prefix) {
  const std::string index = StrCat(prefix, ".index");
  if (FileExists(index)) return index;
  const std::vector<std::string> v1 = Glob(V1Pattern(prefix)).value_or({});
  return v1.empty() ? "" : v1.front();
}

}  // namespace

Status RemoveIfThere(const std::string& file) {
  Status removed = RemoveFile(file);
  return IsNotFound(removed) ? OkStatus() : removed;
}

bool CheckpointExists(const std::string& prefix) { return !MainFile(prefix).empty(); }

std::vector<double> GetCheckpointMtimes(const std::vector<std::string>& prefixes) {
  std::vector<double> times;
  for (const std::string& prefix : prefixes) {
    auto identity = GetFileIdentity(MainFile(prefix));
    if (identity.ok()) times.push_back(static_cast<double>(identity->mtime_ns) / 1e9);
  }
  return times;
}

Status RemoveCheckpointData(const std::string& prefix, SaverNames::Format format) {
  RemoveSpare(prefix);
  Status first;
  for (const std::string& file : FilesOf(prefix, format)) first.Update(RemoveIfThere(file));
  return first;
}

Status RemoveCheckpoint(const std::string& prefix, std::string_view meta_graph_suffix,
                        SaverNames::Format format) {
  Status status = RemoveCheckpointData(prefix, format);
  status.Update(RemoveIfThere(MetaGraphFilename(prefix, meta_graph_suffix)));
  return status;
}

StatusOr<std::optional<CheckpointStateInfo>> GetCheckpointState(const std::string& dir,
                                                                std::string_view latest_filename) {
  StatusOr<CheckpointStateInfo> state = ReadCheckpointState(dir, latest_filename);
  if (state.ok()) return std::optional(*std::move(state));
  if (IsInvalidArgument(state.status())) return state.status();
  if (!IsNotFound(state.status())) {
    LogWarning(state.status().message());
    LogWarning(JoinPath(dir, latest_filename), ": Checkpoint ignored");
  }
  return std::optional<CheckpointStateInfo>();
}

Status UpdateCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                             const std::string& latest_filename) {
  WriteCheckpointStateOptions write;
  write.filename = latest_filename;
  return WriteCheckpointState(save_dir, std::move(state), write);
}

}  // namespace ramet
