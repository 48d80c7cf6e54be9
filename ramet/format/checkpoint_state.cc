#include "ramet/format/checkpoint_state.h"

#include <google/protobuf/text_format.h>
#include <limits.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "ramet/base/file.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/proto/checkpoint.pb.h"
#include "ramet/tensor/text_errors.h"

namespace ramet {
namespace {

constexpr uint64_t kMaxStateBytes = uint64_t{64} << 20;

Status CheckPath(std::string_view recorded) {
  if (recorded.find('\0') != recorded.npos) {
    return DataLoss("a checkpoint path in it contains a NUL byte");
  }
  if (recorded.size() >= PATH_MAX) {
    return DataLoss("a checkpoint path in it has ", recorded.size(),
                    " bytes; a path can have at most ", PATH_MAX - 1);
  }
  return OkStatus();
}

StatusOr<CheckpointState> ParseState(const std::string& path, const std::string& text) {
  CheckpointState proto;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.ParseFromString(text, &proto)) {
    return DataLoss(path, ": not a CheckpointState in text format: ", errors.first());
  }
  RAMET_RETURN_IF_ERROR(CheckPath(proto.model_checkpoint_path()).WithContext(path));
  for (const std::string& p : proto.all_model_checkpoint_paths()) {
    RAMET_RETURN_IF_ERROR(CheckPath(p).WithContext(path));
  }
  return proto;
}

// Like Python's os.path.relpath: returns `path` relative to the folder `start`, both relative to
// the working folder.
StatusOr<std::string> RelativeTo(const std::string& path, const std::string& start) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return FailedPrecondition("cannot determine the working folder: ", error.message());
  const std::filesystem::path from = (here / start).lexically_normal();
  // A trailing '/' would count as one more level.
  const std::filesystem::path folder = from.has_filename() ? from : from.parent_path();
  return (here / path).lexically_normal().lexically_relative(folder).string();
}

std::string StatePath(const std::string& dir, std::string_view filename) {
  return JoinPath(dir, filename);
}

}  // namespace

StatusOr<CheckpointStateInfo> ReadCheckpointState(const std::string& dir,
                                                  std::string_view filename) {
  const std::string path = StatePath(dir, filename);
  RAMET_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, kMaxStateBytes));
  RAMET_ASSIGN_OR_RETURN(const CheckpointState proto, ParseState(path, text));
  if (proto.model_checkpoint_path().empty()) {
    return InvalidArgument("Invalid checkpoint state loaded from ", dir, ": ", path,
                           " has no model_checkpoint_path");
  }
  CheckpointStateInfo state;
  state.model_checkpoint_path = JoinPath(dir, proto.model_checkpoint_path());
  for (const std::string& p : proto.all_model_checkpoint_paths()) {
    state.all_model_checkpoint_paths.push_back(JoinPath(dir, p));
  }
  state.all_model_checkpoint_timestamps.assign(proto.all_model_checkpoint_timestamps().begin(),
                                               proto.all_model_checkpoint_timestamps().end());
  if (proto.last_preserved_timestamp() != 0) {
    state.last_preserved_timestamp = proto.last_preserved_timestamp();
  }
  return state;
}

StatusOr<CheckpointStateInfo> MakeCheckpointState(const std::string& save_dir,
                                                  CheckpointStateInfo state,
                                                  bool save_relative_paths) {
  std::vector<std::string>& all = state.all_model_checkpoint_paths;
  if (all.empty() || all.back() != state.model_checkpoint_path) {
    all.push_back(state.model_checkpoint_path);
  }
  const size_t timestamps = state.all_model_checkpoint_timestamps.size();
  if (timestamps != 0 && timestamps != all.size()) {
    return InvalidArgument(
        "Checkpoint timestamps, if provided, must match checkpoint paths (got paths ",
        StrJoin(all, ", "), " and timestamps ",
        StrJoin(state.all_model_checkpoint_timestamps, ", "), ")");
  }
  std::vector<std::string*> paths = {&state.model_checkpoint_path};
  for (std::string& path : all) paths.push_back(&path);
  // TensorFlow makes a path relative to a relative save_dir again after save_relative_paths has
  // made it relative, which results in a different path. Here each path is converted once.
  for (std::string* path : paths) {
    const bool change = IsAbsolutePath(*path) ? save_relative_paths : !IsAbsolutePath(save_dir);
    if (!change) continue;
    RAMET_ASSIGN_OR_RETURN(*path, RelativeTo(*path, save_dir));
  }
  return state;
}

StatusOr<std::string> CheckpointStateText(const std::string& save_dir, CheckpointStateInfo state,
                                          const WriteCheckpointStateOptions& options) {
  RAMET_ASSIGN_OR_RETURN(
      const CheckpointStateInfo recorded,
      MakeCheckpointState(save_dir, std::move(state), options.save_relative_paths));
  const std::string path = StatePath(save_dir, options.filename);
  if (path == recorded.model_checkpoint_path) {
    return FailedPrecondition(
        "Save path '", path,
        "' conflicts with path used for checkpoint state.  Please use a different "
        "save path.");
  }
  CheckpointState proto;
  proto.set_model_checkpoint_path(recorded.model_checkpoint_path);
  for (const std::string& p : recorded.all_model_checkpoint_paths)
    proto.add_all_model_checkpoint_paths(p);
  for (double t : recorded.all_model_checkpoint_timestamps)
    proto.add_all_model_checkpoint_timestamps(t);
  proto.set_last_preserved_timestamp(recorded.last_preserved_timestamp.value_or(0));
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  if (!printer.PrintToString(proto, &text)) return Internal(path, ": the state cannot be printed");
  return text;
}

Status WriteCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                            const WriteCheckpointStateOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::string text,
                         CheckpointStateText(save_dir, std::move(state), options));
  return AtomicWriteFile(StatePath(save_dir, options.filename), text);
}

StatusOr<std::string> LatestCheckpoint(const std::string& dir, std::string_view filename) {
  StatusOr<CheckpointStateInfo> state = ReadCheckpointState(dir, filename);
  if (IsNotFound(state.status())) {
    return NotFound("no '", filename, "' file in the folder '", dir, "'");
  }
  RAMET_RETURN_IF_ERROR(state.status());
  const std::string& latest = state->model_checkpoint_path;
  for (const std::string& pattern : {latest + ".index", latest}) {
    if (FileExists(pattern)) return latest;
    RAMET_ASSIGN_OR_RETURN(const std::vector<std::string> found, Glob(pattern));
    if (!found.empty()) return latest;
  }
  return NotFound("Couldn't match files for checkpoint ", latest, ", which ",
                  StatePath(dir, filename), " names: there is neither ", latest, ".index nor ",
                  latest);
}

}  // namespace ramet
