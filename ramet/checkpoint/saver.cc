#include "ramet/checkpoint/saver.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/saver_nodes.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/checkpoint_state.h"

namespace ramet {
namespace {

double Now() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::string WithStep(const std::string& path, const SaveOptions& options, bool pad) {
  if (!options.global_step) return path;
  if (!pad) return StrCat(path, "-", *options.global_step);
  char step[32];
  std::snprintf(step, sizeof(step), "-%08lld", static_cast<long long>(*options.global_step));
  return path + step;
}

std::string FolderOf(const std::string& path) {
  std::string_view folder = Dirname(path);
  return folder.empty() ? "." : std::string(folder);
}

// The checkpoints in the folder of `prefix`, for messages.
std::string NearCheckpoints(const std::string& prefix) {
  constexpr size_t kMost = 5;
  const std::string dir = FolderOf(prefix);
  std::string text;
  if (auto names = ListDir(dir); names.ok()) {
    std::vector<std::string> found;
    for (const std::string& name : *names) {
      if (name.ends_with(".index")) found.push_back(name.substr(0, name.size() - 6));
    }
    std::ranges::sort(found);
    if (found.empty()) return StrCat("; there is no checkpoint in folder '", dir, "'");
    if (found.size() > kMost) found.erase(found.begin(), found.end() - kMost);
    text = StrCat("; in folder '", dir, "' there are: ", StrJoin(found, ", "));
  } else {
    return StrCat("; folder '", dir, "' cannot be read");
  }
  auto latest = LatestCheckpoint(dir);
  return latest.ok() ? StrCat(text, " (latest is ", *latest, ")") : text;
}

std::string Explained(const Status& status) {
  const char* cause = IsNotFound(status) ? "a Variable name or other graph key that is missing"
                                         : "a mismatch between the current graph and the graph";
  return StrCat("Restoring from checkpoint failed. This is most likely due to ", cause,
                " from the checkpoint. Please ensure that you have not altered the graph expected "
                "based on the checkpoint. Original error:\n\n",
                status.message());
}

}  // namespace

Saver::Saver(Graph* graph, SaverNames names, bool pad_step_number)
    : graph_(graph),
      definition_(std::move(names)),
      pad_step_number_(pad_step_number),
      next_kept_time_(Now() + definition_.keep_checkpoint_every_n_hours * 3600.0) {}

Saver::Saver(Graph& graph, const SaverOptions& options)
    : Saver(&graph, BuildSaverNodes(graph, options), options.pad_step_number) {}

Saver Saver::FromNames(Graph& graph, const SaverNames& names) {
  return Saver(&graph, names, false);
}

Status Saver::CheckArguments(const std::string& save_path, const SaveOptions& options) const {
  RAMET_RETURN_IF_ERROR(graph_->status());
  if (options.latest_filename.find('/') != std::string::npos) {
    return InvalidArgument("'latest_filename' must not contain path components");
  }
  if (!options.global_step && Basename(save_path) == options.latest_filename) {
    return InvalidArgument("'latest_filename' collides with 'save_path': '",
                           options.latest_filename, "' and '", save_path, "'");
  }
  return OkStatus();
}

StatusOr<std::string> Saver::Save(Session& session, const std::string& save_path,
                                  const SaveOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckArguments(save_path, options));
  const std::string path = WithStep(save_path, options, pad_step_number_);
  auto saved =
      session.Run({{definition_.filename_tensor_name, Tensor(path)}}, definition_.save_tensor_name);
  if (!saved.ok()) {
    const Status& s = saved.status();
    const std::string parent = FolderOf(path);
    if ((IsFailedPrecondition(s) || IsNotFound(s)) && !IsDirectory(parent)) {
      return InvalidArgument("Parent directory of ", path, " doesn't exist, can't save. (",
                             s.message(), ")");
    }
    return s;
  }
  std::string prefix = (*saved)[0].scalar<std::string>();
  if (options.write_state) RAMET_RETURN_IF_ERROR(Record(prefix, options));
  if (options.write_meta_graph) RAMET_RETURN_IF_ERROR(WriteMetaGraph(prefix, options));
  return prefix;
}

// The exact rule of TensorFlow (spec: checkpoints 6.2).
Status Saver::Record(const std::string& path, const SaveOptions& options) {
  std::erase_if(kept_, [&](const Kept& k) { return k.path == path; });
  if (definition_.max_to_keep > 0) {
    kept_.push_back({path, Now()});
    if (static_cast<int>(kept_.size()) > definition_.max_to_keep) {
      to_delete_.push_back(kept_.front());
      kept_.erase(kept_.begin());
    }
  }
  CheckpointStateInfo state;
  state.model_checkpoint_path = path;
  state.all_model_checkpoint_paths = last_checkpoints();
  WriteCheckpointStateOptions write;
  write.filename = options.latest_filename;
  RAMET_RETURN_IF_ERROR(WriteCheckpointState(std::string(Dirname(path)), state, write));
  DeleteOne(options);
  return OkStatus();
}

void Saver::DeleteOne(const SaveOptions& options) {
  if (to_delete_.empty()) return;
  Kept oldest = to_delete_.front();
  to_delete_.erase(to_delete_.begin());
  if (oldest.time > next_kept_time_) {
    next_kept_time_ += definition_.keep_checkpoint_every_n_hours * 3600.0;
    return;
  }
  Status removed = RemoveCheckpoint(oldest.path, options.meta_graph_suffix);
  if (!removed.ok()) LogWarning("an old checkpoint was not removed: ", removed.message());
}

Status Saver::WriteMetaGraph(const std::string& path, const SaveOptions& options) const {
  ExportMetaGraphOptions write;
  write.saver = definition_;
  return ExportMetaGraphFile(*graph_, StrCat(path, ".", options.meta_graph_suffix), write);
}

Status Saver::Restore(Session& session, const std::string& save_path) {
  RAMET_RETURN_IF_ERROR(graph_->status());
  if (save_path.empty()) {
    return InvalidArgument(
        "Can't load save_path when it is empty; LatestCheckpoint finds none when the "
        "folder has no 'checkpoint' file");
  }
  if (!BundleExists(save_path)) {
    return InvalidArgument("The passed save_path is not a valid checkpoint: ", save_path,
                           " (looked for ", save_path, ".index)", NearCheckpoints(save_path));
  }
  Status status =
      session
          .Run({{definition_.filename_tensor_name, Tensor(save_path)}}, definition_.restore_op_name)
          .status();
  if (IsNotFound(status) || IsInvalidArgument(status)) {
    return Status(status.code(), Explained(status));
  }
  if (status.ok()) session.NoteRestored(RestoredVariables());
  return status;
}

// The variables that the restore op assigns.
std::vector<std::string> Saver::RestoredVariables() const {
  std::vector<std::string> names;
  auto restore = graph_->FindOperation(definition_.restore_op_name);
  if (!restore.ok()) return names;
  for (const Operation& assign : restore->control_inputs()) {
    if (assign.num_inputs() > 0) names.push_back(assign.input(0).op().name());
  }
  return names;
}

std::vector<std::string> Saver::last_checkpoints() const {
  std::vector<std::string> paths;
  for (const Kept& k : kept_) paths.push_back(k.path);
  return paths;
}

StatusOr<ImportedMetaGraph> ImportMetaGraph(Graph& graph, const std::string& path,
                                            const ImportMetaGraphOptions& options) {
  RAMET_ASSIGN_OR_RETURN(MetaGraphInfo info, ImportMetaGraphFile(graph, path, options));
  if (info.saver) {
    Saver saver = Saver::FromNames(graph, *info.saver);
    return ImportedMetaGraph{std::move(info), std::move(saver)};
  }
  Saver saver(graph);
  RAMET_RETURN_IF_ERROR(graph.status());
  return ImportedMetaGraph{std::move(info), std::move(saver)};
}

}  // namespace ramet
