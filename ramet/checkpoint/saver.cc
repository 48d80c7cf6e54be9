#include "ramet/checkpoint/saver.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/base/pinned_folder.h"
#include "ramet/base/wall_clock.h"
#include "ramet/checkpoint/checkpoint_management.h"
#include "ramet/checkpoint/restore.h"
#include "ramet/checkpoint/retention.h"
#include "ramet/checkpoint/saver_nodes.h"
#include "ramet/format/checkpoint_state_text.h"
#include "ramet/graph/names.h"
#include "ramet/graph_def/saver_proto.h"

namespace ramet {
namespace {

double Now() { return static_cast<double>(WallClockNanos()) / 1e9; }

std::string FolderOf(const std::string& path) {
  std::string_view folder = Dirname(path);
  return folder.empty() ? "." : std::string(folder);
}

StatusOr<int64_t> WholeStep(double step) {
  if (std::abs(step) < 0x1p63) return static_cast<int64_t>(step);
  return InvalidArgument("global_step must be a number that fits in 64 bits, but it is ", step);
}

// Returns the value of a step. Fractions are truncated toward zero, like Python's int().
StatusOr<int64_t> StepValue(const Tensor& t) {
  if (t.rank() == 0) {
    switch (t.dtype()) {
      case DType::kInt64: return t.scalar<int64_t>();
      case DType::kInt32: return int64_t{t.scalar<int32_t>()};
      case DType::kInt16: return int64_t{t.scalar<int16_t>()};
      case DType::kUInt8: return int64_t{t.scalar<uint8_t>()};
      case DType::kFloat: return WholeStep(t.scalar<float>());
      case DType::kDouble: return WholeStep(t.scalar<double>());
      default: break;
    }
  }
  return InvalidArgument("global_step must be a scalar number, but it is a ", DTypeName(t.dtype()),
                         t.shape());
}

StatusOr<int64_t> EvaluateStep(Session& session, const GlobalStep& step) {
  if (const auto* number = std::get_if<int64_t>(&step.step())) return *number;
  const auto* name = std::get_if<std::string>(&step.step());
  const GraphElement element =
      name != nullptr ? GraphElement(*name) : GraphElement(std::get<Output>(step.step()));
  RAMET_ASSIGN_OR_RETURN(const Tensor value, session.Run(element));
  return StepValue(value);
}

}  // namespace

class Saver::Impl {
 public:
  Impl(Graph& graph, const SaverOptions& options) : graph_(graph), options_(options) {}

  Graph& graph() const { return graph_; }
  bool empty() const { return empty_; }
  const SaverNames& definition() const { return definition_; }
  CheckpointList& list() { return list_; }

  void Adopt(const SaverNames& names) {
    definition_ = names;
    built_ = true;
    list_ = CheckpointList(names.max_to_keep, names.keep_checkpoint_every_n_hours, Now());
  }

  // Records errors in the graph too.
  Status Build() {
    if (built_) return graph_.status();
    built_ = true;
    Status status = BuildNodes();
    if (!status.ok()) graph_.RecordError(status.WithContext("Saver"));
    return graph_.status();
  }

  Status DeferBuild() const {
    if (SavesCollections(options_)) return OkStatus();
    return InvalidArgument(
        "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
        "var_list=None.");
  }

  StatusOr<std::string> Save(Session& session, const std::string& save_path,
                             const SaveOptions& options);
  Status Restore(Session& session, const std::string& save_path);
  Status ExportMetaGraph(const std::string& path, ExportMetaGraphOptions options) const {
    if (!empty_) options.saver = definition_;
    return ExportMetaGraphFile(graph_, path, options);
  }

 private:
  Status BuildNodes() {
    RAMET_ASSIGN_OR_RETURN(const std::vector<Saveable> saveables,
                           CollectSaveables(graph_, options_));
    empty_ = saveables.empty();
    if (empty_ && !options_.allow_empty) return InvalidArgument("No variables to save");
    if (!empty_) Adopt(BuildSaverNodes(graph_, saveables, options_));
    return OkStatus();
  }

  Status CheckArguments(const std::string& save_path, const SaveOptions& options) const;
  StatusOr<std::string> PathOf(Session& session, const std::string& save_path,
                               const SaveOptions& options) const;
  // The functions below create and remove the files of one save, all through `folder`.
  StatusOr<std::string> RunSave(Session& session, const PinnedFolder& folder,
                                const std::string& path, const std::string& save_path) const;
  Status WriteMetaGraph(const std::string& path, const SaveOptions& options) const;
  Status Record(const PinnedFolder& folder, const std::string& saved, const std::string& save_path,
                const SaveOptions& options);
  void Delete(const PinnedFolder& folder, const std::string& path,
              const std::string& meta_graph_suffix);

  Graph& graph_;
  SaverOptions options_;
  SaverNames definition_;
  bool built_ = false;
  bool empty_ = false;
  CheckpointList list_{0, 0, 0};
  // .meta files of deleted checkpoints. They are kept until there is a newer .meta file.
  std::set<std::string> unneeded_metas_;
  // Save paths for which leftovers of killed savers have been removed.
  std::set<std::string> tidied_;
};

Status Saver::Impl::CheckArguments(const std::string& save_path, const SaveOptions& options) const {
  RAMET_RETURN_IF_ERROR(graph_.status());
  if (!built_) {
    return FailedPrecondition("`build()` should be called before save if defer_build==True");
  }
  if (options.latest_filename.find('/') != std::string::npos) {
    return InvalidArgument("'latest_filename' must not contain path components");
  }
  const bool collides = Basename(save_path) == options.latest_filename;
  if (collides && !options.global_step && !definition_.sharded) {
    return InvalidArgument("'latest_filename' collides with 'save_path': '",
                           options.latest_filename, "' and '", save_path, "'");
  }
  return OkStatus();
}

StatusOr<std::string> Saver::Impl::PathOf(Session& session, const std::string& save_path,
                                          const SaveOptions& options) const {
  if (!options.global_step) return save_path;
  RAMET_ASSIGN_OR_RETURN(const int64_t step, EvaluateStep(session, *options.global_step));
  if (!options_.pad_step_number) return StrCat(save_path, "-", step);
  char padded[32];
  std::snprintf(padded, sizeof(padded), "-%08lld", static_cast<long long>(step));
  return save_path + padded;
}

StatusOr<std::string> Saver::Impl::Save(Session& session, const std::string& save_path,
                                        const SaveOptions& options) {
  RAMET_RETURN_IF_ERROR(CheckArguments(save_path, options));
  RAMET_ASSIGN_OR_RETURN(const std::string path, PathOf(session, save_path, options));
  const PinnedFolder folder(path);
  std::string saved;
  if (!empty_) {
    RAMET_ASSIGN_OR_RETURN(saved, RunSave(session, folder, path, save_path));
  }
  if (options.write_meta_graph) {
    const std::string meta_graph = MetaGraphFilename(path, options.meta_graph_suffix);
    RAMET_RETURN_IF_ERROR(folder.Original(WriteMetaGraph(folder.Pin(meta_graph), options)));
  }
  if (!empty_ && options.write_state) {
    RAMET_RETURN_IF_ERROR(Record(folder, saved, save_path, options));
  }
  return saved;
}

StatusOr<std::string> Saver::Impl::RunSave(Session& session, const PinnedFolder& folder,
                                           const std::string& path,
                                           const std::string& save_path) const {
  auto saved = session.Run({{definition_.filename_tensor_name, Tensor(folder.Pin(path))}},
                           definition_.save_tensor_name);
  const Status status = folder.Original(saved.status());
  const bool may_lack_folder = IsFailedPrecondition(status) || IsNotFound(status);
  if (may_lack_folder && !IsDirectory(FolderOf(path))) {
    const std::string_view reason = std::string_view(status.message());
    return InvalidArgument("Parent directory of ", save_path, " doesn't exist, can't save. (",
                           reason.substr(0, reason.find("\n\t [[")), ")");
  }
  RAMET_RETURN_IF_ERROR(status);
  const Tensor& path_saved = *saved;
  if (path_saved.dtype() == DType::kString && path_saved.num_elements() == 1) {
    return folder.Original(path_saved.data<std::string>()[0]);
  }
  return InvalidArgument("the save tensor ", definition_.save_tensor_name,
                         " must be a string scalar, but it is a ", DTypeName(path_saved.dtype()),
                         path_saved.shape());
}

Status Saver::Impl::WriteMetaGraph(const std::string& path, const SaveOptions& options) const {
  if (!options.meta_graph.empty()) return AtomicWriteFile(path, options.meta_graph);
  ExportMetaGraphOptions write;
  write.strip_default_attrs = options.strip_default_attrs;
  return ExportMetaGraph(path, write);
}

Status Saver::Impl::Record(const PinnedFolder& folder, const std::string& saved,
                           const std::string& save_path, const SaveOptions& options) {
  list_.Record(saved, Now());
  unneeded_metas_.erase(MetaGraphFilename(saved, options.meta_graph_suffix));
  CheckpointStateInfo state;
  state.model_checkpoint_path = saved;
  for (const auto& [path, time] : list_.entries()) state.all_model_checkpoint_paths.push_back(path);
  WriteCheckpointStateOptions write;
  write.filename = options.latest_filename;
  write.save_relative_paths = options_.save_relative_paths;
  const std::string save_dir(Dirname(save_path));
  RAMET_ASSIGN_OR_RETURN(const std::string text, CheckpointStateText(save_dir, state, write));
  const std::string state_path = JoinPath(save_dir, options.latest_filename);
  RAMET_RETURN_IF_ERROR(folder.Original(AtomicWriteFile(folder.Pin(state_path), text)));
  if (tidied_.insert(StrCat(save_path, ".", options.meta_graph_suffix)).second) {
    RemoveLeftovers(folder.Pin(saved), options.meta_graph_suffix, options.latest_filename);
  }
  if (auto oldest = list_.NextToDelete()) Delete(folder, *oldest, options.meta_graph_suffix);
  return OkStatus();
}

void Saver::Impl::Delete(const PinnedFolder& folder, const std::string& path,
                         const std::string& meta_graph_suffix) {
  const std::string pinned = folder.Pin(path);
  Status removed = RemoveCheckpointData(pinned, definition_.version);
  const std::string meta = MetaGraphFilename(path, meta_graph_suffix);
  if (FileExists(folder.Pin(meta))) unneeded_metas_.insert(meta);
  const auto unneeded = [&](const std::string& file) {
    return unneeded_metas_.contains(folder.Original(file));
  };
  if (!std::ranges::all_of(MetaGraphsOfBasePath(pinned, meta_graph_suffix), unneeded)) {
    for (const std::string& file : unneeded_metas_) removed.Update(RemoveIfThere(folder.Pin(file)));
    unneeded_metas_.clear();
  }
  if (removed.ok()) return;
  LogWarning("cannot remove an old checkpoint: ", folder.Original(removed).message());
}

Status Saver::Impl::Restore(Session& session, const std::string& save_path) {
  if (empty_) return OkStatus();
  RAMET_RETURN_IF_ERROR(graph_.status());
  RAMET_RETURN_IF_ERROR(CheckCheckpoint(save_path));
  if (!built_) {
    return FailedPrecondition("`build()` should be called before restore if defer_build==True");
  }
  return RestoreCheckpoint(session, graph_, definition_, save_path);
}

Saver::Saver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Saver::Saver(Saver&&) noexcept = default;
Saver& Saver::operator=(Saver&&) noexcept = default;
Saver::~Saver() = default;

Saver::Saver(Graph& graph, const SaverOptions& options)
    : impl_(std::make_unique<Impl>(graph, options)) {
  if (!options.defer_build) {
    impl_->Build().IgnoreError();
  } else if (Status status = impl_->DeferBuild(); !status.ok()) {
    graph.RecordError(status.WithContext("Saver"));
  }
}

Saver Saver::FromNames(Graph& graph, const SaverNames& names, const SaverOptions& options) {
  auto impl = std::make_unique<Impl>(graph, options);
  impl->Adopt(names);
  return Saver(std::move(impl));
}

StatusOr<Saver> Saver::FromProto(Graph& graph, std::string_view saver_def,
                                 std::string_view import_scope, const SaverOptions& options) {
  SaverDef proto;
  if (!proto.ParseFromArray(saver_def.data(), static_cast<int>(saver_def.size()))) {
    return DataLoss("these ", saver_def.size(), " bytes are not a SaverDef");
  }
  for (const auto& [field, value] : {std::pair("save_tensor_name", proto.save_tensor_name()),
                                     std::pair("restore_op_name", proto.restore_op_name())}) {
    if (value.empty()) return InvalidArgument("saver_def must specify the ", field);
  }
  SaverNames names = SaverFromProto(proto);
  for (std::string* name :
       {&names.filename_tensor_name, &names.save_tensor_name, &names.restore_op_name}) {
    *name = JoinScope(import_scope, *name);
  }
  return FromNames(graph, names, options);
}

StatusOr<std::string> Saver::ToProto(std::string_view export_scope) const {
  SaverNames names = definition();
  if (names.save_tensor_name.empty()) {
    return FailedPrecondition("this saver has no nodes: it is empty or not built yet");
  }
  const std::string scope = export_scope.empty() ? "" : StrCat(export_scope, "/");
  for (std::string* name :
       {&names.filename_tensor_name, &names.save_tensor_name, &names.restore_op_name}) {
    if (!name->starts_with(scope)) {
      return NotFound("the saver's node ", *name, " is not in the scope ", export_scope);
    }
    name->erase(0, scope.size());
  }
  SaverDef proto;
  SaverToProto(names, &proto);
  return proto.SerializeAsString();
}

Status Saver::Build() { return impl_->Build(); }
StatusOr<std::string> Saver::Save(Session& session, const std::string& save_path,
                                  const SaveOptions& options) {
  return impl_->Save(session, save_path, options);
}
Status Saver::Restore(Session& session, const std::string& save_path) {
  return impl_->Restore(session, save_path);
}
Status Saver::ExportMetaGraph(const std::string& path, ExportMetaGraphOptions options) const {
  return impl_->ExportMetaGraph(path, std::move(options));
}

std::vector<std::string> Saver::last_checkpoints() const {
  std::vector<std::string> paths;
  for (const auto& [path, time] : impl_->list().entries()) paths.push_back(path);
  return paths;
}

void Saver::SetLastCheckpoints(const std::vector<std::string>& paths) {
  std::vector<std::pair<std::string, double>> entries;
  for (const std::string& path : paths) {
    entries.emplace_back(path, std::numeric_limits<double>::infinity());
  }
  SetLastCheckpointsWithTime(std::move(entries));
}

void Saver::SetLastCheckpointsWithTime(
    std::vector<std::pair<std::string, double>> paths_and_times) {
  impl_->list().Set(std::move(paths_and_times));
}

void Saver::RecoverLastCheckpoints(const std::vector<std::string>& paths) {
  std::vector<std::pair<std::string, double>> entries;
  for (const std::string& path : paths) {
    const std::vector<double> mtime = GetCheckpointMtimes({path});
    if (!mtime.empty()) entries.emplace_back(path, mtime[0]);
  }
  SetLastCheckpointsWithTime(std::move(entries));
}

bool Saver::empty() const { return impl_->empty(); }
const SaverNames& Saver::definition() const { return impl_->definition(); }
Graph& Saver::graph() const { return impl_->graph(); }

StatusOr<ImportedMetaGraph> ImportMetaGraph(Graph& graph, const std::string& path,
                                            const ImportMetaGraphOptions& options) {
  RAMET_ASSIGN_OR_RETURN(MetaGraphInfo info, ImportMetaGraphFile(graph, path, options));
  if (info.saver) {
    Saver saver = Saver::FromNames(graph, *info.saver);
    return ImportedMetaGraph{std::move(info), std::move(saver)};
  }
  SaverOptions any;
  any.allow_empty = true;
  Saver saver(graph, any);
  RAMET_RETURN_IF_ERROR(graph.status());
  return ImportedMetaGraph{std::move(info), std::move(saver)};
}

}  // namespace ramet
