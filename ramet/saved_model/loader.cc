#include "ramet/saved_model/loader.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <set>

#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/graph/asset_paths.h"
#include "ramet/graph_def/meta_graph_reader.h"
#include "ramet/proto/saved_model.pb.h"
#include "ramet/saved_model/saved_model_files.h"
#include "ramet/saved_model/signature_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using google::protobuf::Arena;
using TagSet = std::set<std::string>;
namespace files = saved_model_files;

TagSet TagsOf(const MetaGraphDef& meta) {
  const auto& tags = meta.meta_info_def().tags();
  return TagSet(tags.begin(), tags.end());
}

std::string Quoted(const TagSet& tags) {
  std::vector<std::string> quoted;
  for (const std::string& tag : tags) quoted.push_back(StrCat("'", tag, "'"));
  return StrCat("{", StrJoin(quoted, ", "), "}");
}

// A folder may have been unpacked from anywhere: a pipe or a device in it is not read.
Status ParseModelFile(const std::string& path, SavedModel* model) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadRegularFile(path));
  const Status parsed =
      bytes.empty() ? DataLoss("it is empty") : ParseMessage(bytes, "SavedModel", model);
  return parsed.ok() ? parsed : CannotParse(path, parsed);
}

Status ReadSavedModel(const std::string& dir, SavedModel* model) {
  for (const char* name : {files::kBinary, files::kText}) {
    const std::string path = JoinPath(dir, name);
    if (FileExists(path)) return ParseModelFile(path, model);
  }
  return NotFound("SavedModel file does not exist at: ", dir, "/{", files::kText, "|",
                  files::kBinary, "}");
}

StatusOr<MetaGraphDef*> FindMetaGraph(SavedModel& model, const std::string& dir,
                                      const std::vector<std::string>& tags) {
  const TagSet wanted(tags.begin(), tags.end());
  std::vector<std::string> available;
  for (MetaGraphDef& meta : *model.mutable_meta_graphs()) {
    if (TagsOf(meta) == wanted) return &meta;
    available.push_back(Quoted(TagsOf(meta)));
  }
  return NotFound("MetaGraphDef associated with tags ", Quoted(wanted),
                  " could not be found in SavedModel '", dir,
                  "', with available tags: ", available.empty() ? "none" : StrJoin(available, ", "),
                  ". Pass all the tags of one of them.");
}

// Returns the items of a collection after the first `before`, which are older than the import.
std::vector<CollectionItem> NewItems(const Graph& graph, const char* key, size_t before) {
  const std::vector<CollectionItem>& all = graph.collections().Get(key);
  return {all.begin() + static_cast<ptrdiff_t>(std::min(before, all.size())), all.end()};
}

std::vector<AssetFileDef> AssetProtos(const MetaGraphDef& carried,
                                      const std::vector<CollectionItem>& collection) {
  std::vector<AssetFileDef> protos(carried.asset_file_def().begin(),
                                   carried.asset_file_def().end());
  if (!protos.empty()) return protos;
  for (const CollectionItem& item : collection) {
    const auto* message = std::get_if<OpaqueMessage>(&item);
    AssetFileDef proto;
    if (message != nullptr && proto.ParseFromString(message->bytes)) {
      protos.push_back(std::move(proto));
    }
  }
  return protos;
}

Status CheckAssetName(const std::string& name) {
  bool inside = !name.empty() && !IsAbsolutePath(name);
  for (std::string_view part : StrSplit(name, '/')) inside = inside && part != "..";
  if (inside) return OkStatus();
  return InvalidArgument("asset '", name, "': its file name leads out of the folder '",
                         files::kAssetsFolder, "'");
}

StatusOr<std::vector<SavedModelAsset>> ResolveAssets(const Graph& graph, const std::string& dir,
                                                     const std::vector<AssetFileDef>& protos) {
  std::vector<SavedModelAsset> assets;
  for (const AssetFileDef& proto : protos) {
    RAMET_RETURN_IF_ERROR(CheckAssetName(proto.filename()));
    auto tensor = graph.Tensor(proto.tensor_info().name());
    if (!tensor.ok()) {
      return tensor.status().WithContext(StrCat("asset '", proto.filename(), "'"));
    }
    assets.push_back({*tensor, JoinPath(JoinPath(dir, files::kAssetsFolder), proto.filename())});
  }
  return assets;
}

StatusOr<Operation> InitOpOfSignature(const Graph& graph, const MetaGraphDef& carried) {
  auto signature = carried.signature_def().find(files::kInitOpSignature);
  if (signature == carried.signature_def().end()) return Operation();
  auto output = signature->second.outputs().find(files::kInitOpSignature);
  if (output == signature->second.outputs().end()) return Operation();
  const std::string& name = output->second.name();
  if (name.find(':') == std::string::npos) return graph.FindOperation(name);
  RAMET_ASSIGN_OR_RETURN(Output tensor, graph.Tensor(name));
  return tensor.op();
}

StatusOr<Operation> InitOpOfCollection(const std::vector<CollectionItem>& items) {
  if (items.empty()) return Operation();
  if (items.size() > 1) {
    return InvalidArgument("Expected exactly one SavedModel init op. Found ", items.size(), ".");
  }
  if (const auto* op = std::get_if<Operation>(&items[0])) return *op;
  if (const auto* output = std::get_if<Output>(&items[0])) return output->op();
  return InvalidArgument("The SavedModel's init op is not an operation of its graph.");
}

std::map<std::string, Signature> ReadSignatures(const MetaGraphDef& carried) {
  std::map<std::string, Signature> signatures;
  for (const auto& [key, proto] : carried.signature_def()) {
    if (key == files::kInitOpSignature || key == files::kTrainOpSignature) continue;
    auto signature = SignatureFromProto(proto);
    if (signature.ok()) {
      signatures[key] = *std::move(signature);
    } else {
      LogWarning("signature '", key, "' cannot be read: ", signature.status().message());
    }
  }
  return signatures;
}

// The sizes of the graph's collections before an import.
struct Before {
  explicit Before(const Graph& graph)
      : assets(graph.collections().Get(files::kAssetsCollection).size()),
        main_ops(graph.collections().Get(files::kMainOpCollection).size()),
        legacy_ops(graph.collections().Get(files::kLegacyInitOpCollection).size()) {}
  size_t assets, main_ops, legacy_ops;
};

StatusOr<Operation> FindInitOp(const Graph& graph, const MetaGraphDef& carried,
                               const Before& before) {
  RAMET_ASSIGN_OR_RETURN(Operation op, InitOpOfSignature(graph, carried));
  if (op.valid()) return op;
  RAMET_ASSIGN_OR_RETURN(
      op, InitOpOfCollection(NewItems(graph, files::kMainOpCollection, before.main_ops)));
  if (op.valid()) return op;
  return InitOpOfCollection(NewItems(graph, files::kLegacyInitOpCollection, before.legacy_ops));
}

StatusOr<LoadedSavedModel> Import(Graph& graph, const std::string& dir, const MetaGraphView& meta,
                                  const LoadSavedModelOptions& options) {
  const Before before(graph);
  ImportMetaGraphOptions import;
  import.import_scope = options.import_scope;
  import.clear_devices = options.clear_devices;
  import.input_map = options.input_map;
  import.validate_shapes = options.validate_shapes;
  LoadedSavedModel loaded;
  RAMET_ASSIGN_OR_RETURN(loaded.info, ImportMetaGraphView(graph, meta, import));
  MetaGraphDef carried;
  if (!carried.ParseFromString(loaded.info.carried)) {
    return Internal("cannot parse the data that an import carries");
  }
  loaded.signatures = ReadSignatures(carried);
  const auto assets =
      AssetProtos(carried, NewItems(graph, files::kAssetsCollection, before.assets));
  RAMET_ASSIGN_OR_RETURN(loaded.assets, ResolveAssets(graph, dir, assets));
  for (const SavedModelAsset& asset : loaded.assets) SetAssetPath(asset.tensor, asset.path);
  RAMET_ASSIGN_OR_RETURN(loaded.init_op, FindInitOp(graph, carried, before));
  loaded.variables_path = JoinPath(JoinPath(dir, files::kVariablesFolder), files::kVariablesFile);
  return loaded;
}

Status RestoreVariables(Session& session, const LoadedSavedModel& loaded) {
  Graph& graph = session.graph();
  if (loaded.info.saver) {
    return Saver::FromNames(graph, *loaded.info.saver).Restore(session, loaded.variables_path);
  }
  if (loaded.info.variables.empty()) return OkStatus();
  Saver saver(graph, {.var_list = loaded.info.variables});
  return saver.Restore(session, loaded.variables_path);
}

Status RunInitOp(Session& session, const LoadedSavedModel& loaded) {
  if (!loaded.init_op.valid()) return OkStatus();
  Feeds feeds;
  for (const SavedModelAsset& asset : loaded.assets) {
    feeds.push_back({asset.tensor, Tensor(asset.path)});
  }
  return session.Run(feeds, loaded.init_op).status();
}

}  // namespace

bool MaybeSavedModelDirectory(const std::string& dir) {
  return FileExists(JoinPath(dir, files::kBinary)) || FileExists(JoinPath(dir, files::kText));
}

StatusOr<std::vector<std::vector<std::string>>> SavedModelTags(const std::string& dir) {
  Arena arena;
  auto* model = Arena::CreateMessage<SavedModel>(&arena);
  RAMET_RETURN_IF_ERROR(ReadSavedModel(dir, model));
  std::vector<std::vector<std::string>> all;
  for (const MetaGraphDef& meta : model->meta_graphs()) {
    const TagSet tags = TagsOf(meta);
    all.emplace_back(tags.begin(), tags.end());
  }
  return all;
}

StatusOr<LoadedSavedModel> ImportSavedModel(Graph& graph, const std::string& dir,
                                            const std::vector<std::string>& tags,
                                            const LoadSavedModelOptions& options) {
  SavedModel model;
  RAMET_RETURN_IF_ERROR(ReadSavedModel(dir, &model));
  RAMET_ASSIGN_OR_RETURN(MetaGraphDef * meta, FindMetaGraph(model, dir, tags));
  RAMET_ASSIGN_OR_RETURN(const MetaGraphView view, MetaGraphView::FromMessage(std::move(*meta)));
  auto loaded = Import(graph, dir, view, options);
  if (!loaded.ok()) return loaded.status().WithContext(StrCat("SavedModel '", dir, "'"));
  return loaded;
}

StatusOr<LoadedSavedModel> LoadSavedModel(Session& session, const std::string& dir,
                                          const std::vector<std::string>& tags,
                                          const LoadSavedModelOptions& options) {
  RAMET_ASSIGN_OR_RETURN(LoadedSavedModel loaded,
                         ImportSavedModel(session.graph(), dir, tags, options));
  RAMET_RETURN_IF_ERROR(RestoreVariables(session, loaded));
  if (options.run_init_op) RAMET_RETURN_IF_ERROR(RunInitOp(session, loaded));
  return loaded;
}

}  // namespace ramet
