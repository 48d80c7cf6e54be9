#include "ramet/saved_model/builder.h"

#include <optional>

#include "ramet/base/file.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph_def/meta_graph_writer.h"
#include "ramet/proto/saved_model.pb.h"
#include "ramet/saved_model/asset_files.h"
#include "ramet/saved_model/saved_model_files.h"
#include "ramet/saved_model/signature_proto.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

namespace files = saved_model_files;

Status CheckTensor(const SignatureTensor& tensor) {
  if (!tensor.composite.empty()) return OkStatus();
  if (tensor.name.empty() && !tensor.sparse) {
    return InvalidArgument(
        "All tensors of signatures must have one of the 'encoding' fields (name, sparse, "
        "composite) set.");
  }
  if (tensor.dtype != DType::kInvalid) return OkStatus();
  return InvalidArgument("All tensors of signatures must have the dtype field set.");
}

Status CheckSignatures(const std::map<std::string, Signature>& signatures) {
  for (const auto& [key, signature] : signatures) {
    for (const auto* tensors : {&signature.inputs, &signature.outputs}) {
      for (const auto& [name, tensor] : *tensors) {
        Status checked = CheckTensor(tensor);
        if (!checked.ok())
          return checked.WithContext(StrCat("signature '", key, "', '", name, "'"));
      }
    }
    if (key == files::kInitOpSignature || key == files::kTrainOpSignature) {
      return InvalidArgument("SignatureDef map key \"", key,
                             "\" is reserved. Please use a different key.");
    }
  }
  return OkStatus();
}

Status CheckMainOp(const Graph& graph, const Operation& main_op) {
  if (!main_op.valid()) return OkStatus();
  if (main_op.graph() != &graph) {
    return InvalidArgument("main_op is not an element of this graph.");
  }
  for (const char* key : {files::kMainOpCollection, files::kLegacyInitOpCollection}) {
    if (graph.collections().Get(key).empty()) continue;
    return InvalidArgument("Graph already contains one or more main ops under the collection ", key,
                           ".");
  }
  return OkStatus();
}

Status CheckArguments(const Graph& graph, const SavedModelGraph& meta_graph) {
  RAMET_RETURN_IF_ERROR(graph.status());
  RAMET_RETURN_IF_ERROR(CheckSignatures(meta_graph.signatures));
  for (const SavedModelAsset& asset : meta_graph.assets) {
    if (!asset.tensor.valid() || asset.tensor.graph() != &graph) {
      return InvalidArgument("the tensor of asset '", asset.path,
                             "' is not an element of this graph.");
    }
  }
  return CheckMainOp(graph, meta_graph.main_op);
}

bool HasVariables(const Graph& graph) {
  return !graph.collections().Get(graph_keys::kGlobalVariables).empty() ||
         !graph.collections().Get(graph_keys::kSaveableObjects).empty();
}

// Returns the caller's saver, or a new one like that of TensorFlow's builder. Returns nothing if
// there is nothing to save.
StatusOr<std::optional<Saver>> SaverFor(Graph& graph, const SavedModelGraph& meta_graph) {
  if (const Saver* given = meta_graph.saver) {
    if (given->empty()) return std::optional<Saver>();
    return std::optional<Saver>(Saver::FromNames(graph, given->definition()));
  }
  if (!HasVariables(graph)) return std::optional<Saver>();
  if (graph.finalized()) {
    return FailedPrecondition(
        "Graph is finalized and cannot be modified: make the Saver before finalizing and pass it.");
  }
  Saver saver(graph, {.sharded = true});
  RAMET_RETURN_IF_ERROR(graph.status());
  return std::optional<Saver>(std::move(saver));
}

// Adds the tags and collections of this meta graph. Its signatures replace those carried along.
Status Annotate(const SavedModelGraph& meta_graph, const std::vector<AssetFile>& assets,
                MetaGraphDef* meta) {
  auto* info = meta->mutable_meta_info_def();
  info->clear_tags();
  for (const std::string& tag : meta_graph.tags) info->add_tags(tag);
  for (const auto& [key, signature] : meta_graph.signatures) {
    Status written = SignatureToProto(signature, &(*meta->mutable_signature_def())[key]);
    if (!written.ok()) return written.WithContext(StrCat("signature '", key, "'"));
  }
  auto* collections = meta->mutable_collection_def();
  if (meta_graph.main_op.valid()) {
    (*collections)[files::kMainOpCollection].mutable_node_list()->add_value(
        meta_graph.main_op.name());
  }
  if (assets.empty()) return OkStatus();
  meta->clear_asset_file_def();
  auto* list = (*collections)[files::kAssetsCollection].mutable_any_list();
  list->clear_value();
  for (const AssetFile& asset : assets) {
    AssetFileDef proto;
    proto.set_filename(asset.filename);
    proto.mutable_tensor_info()->set_name(asset.tensor.name());
    auto* any = list->add_value();
    any->set_type_url(files::kAssetTypeUrl);
    any->set_value(proto.SerializeAsString());
  }
  return OkStatus();
}

}  // namespace

struct SavedModelBuilder::Impl {
  std::string dir;
  SavedModel model;
  bool has_variables = false;

  // Creates the folder even if there are no variables.
  Status SaveVariables(Session& session, std::optional<Saver>& saver) const {
    const std::string folder = JoinPath(dir, files::kVariablesFolder);
    RAMET_RETURN_IF_ERROR(CreateDirs(folder));
    if (!saver) return OkStatus();
    return saver
        ->Save(session, JoinPath(folder, files::kVariablesFile),
               {.write_meta_graph = false, .write_state = false})
        .status();
  }

  // `session` is null if the variables are already saved.
  Status Add(Graph& graph, Session* session, const SavedModelGraph& meta_graph) {
    RAMET_RETURN_IF_ERROR(CheckArguments(graph, meta_graph));
    RAMET_ASSIGN_OR_RETURN(std::vector<AssetFile> assets, NameAssets(meta_graph.assets));
    RAMET_ASSIGN_OR_RETURN(std::optional<Saver> saver, SaverFor(graph, meta_graph));
    if (session != nullptr) RAMET_RETURN_IF_ERROR(SaveVariables(*session, saver));
    RAMET_RETURN_IF_ERROR(CopyAssets(assets, JoinPath(dir, files::kAssetsFolder)));
    ExportMetaGraphOptions options;
    options.clear_devices = meta_graph.clear_devices;
    options.strip_default_attrs = meta_graph.strip_default_attrs;
    options.carried = meta_graph.carried;
    if (saver) options.saver = saver->definition();
    MetaGraphDef meta;
    RAMET_RETURN_IF_ERROR(MetaGraphToProto(graph, options, &meta));
    RAMET_RETURN_IF_ERROR(Annotate(meta_graph, assets, &meta));
    *model.add_meta_graphs() = std::move(meta);
    return OkStatus();
  }
};

SavedModelBuilder::SavedModelBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SavedModelBuilder::SavedModelBuilder(SavedModelBuilder&&) noexcept = default;
SavedModelBuilder& SavedModelBuilder::operator=(SavedModelBuilder&&) noexcept = default;
SavedModelBuilder::~SavedModelBuilder() = default;

StatusOr<SavedModelBuilder> SavedModelBuilder::Create(const std::string& dir) {
  if (auto names = ListDir(dir); names.ok() && !names->empty()) {
    return AlreadyExists("Export directory ", dir,
                         " already exists, and isn't empty. Please choose a different export "
                         "directory, or delete all the contents of the specified directory.");
  }
  RAMET_RETURN_IF_ERROR(CreateDirs(dir));
  auto impl = std::make_unique<Impl>();
  impl->dir = dir;
  impl->model.set_saved_model_schema_version(files::kSchemaVersion);
  return SavedModelBuilder(std::move(impl));
}

Status SavedModelBuilder::AddMetaGraphAndVariables(Session& session,
                                                   const SavedModelGraph& meta_graph) {
  if (impl_->has_variables) {
    return FailedPrecondition(
        "Graph state including variables and assets has already been saved. Please invoke "
        "AddMetaGraph instead.");
  }
  RAMET_RETURN_IF_ERROR(impl_->Add(session.graph(), &session, meta_graph));
  impl_->has_variables = true;
  return OkStatus();
}

Status SavedModelBuilder::AddMetaGraph(Graph& graph, const SavedModelGraph& meta_graph) {
  if (!impl_->has_variables) {
    return FailedPrecondition(
        "Graph state including variables and assets has not been saved yet. Please invoke "
        "AddMetaGraphAndVariables first.");
  }
  return impl_->Add(graph, nullptr, meta_graph);
}

StatusOr<std::string> SavedModelBuilder::Save(bool as_text) {
  const std::string path = JoinPath(impl_->dir, as_text ? files::kText : files::kBinary);
  RAMET_ASSIGN_OR_RETURN(std::string bytes, MessageToBytes(impl_->model, as_text));
  RAMET_RETURN_IF_ERROR(CreateDirs(impl_->dir));
  RAMET_RETURN_IF_ERROR(AtomicWriteFile(path, bytes));
  return path;
}

Status SimpleSave(Session& session, const std::string& dir,
                  const std::map<std::string, Output>& inputs,
                  const std::map<std::string, Output>& outputs, Operation legacy_init_op) {
  SavedModelGraph meta_graph;
  meta_graph.tags = {saved_model_keys::kServing};
  meta_graph.signatures[saved_model_keys::kDefaultServingSignature] =
      MakeSignature(inputs, outputs);
  meta_graph.main_op = legacy_init_op;
  meta_graph.clear_devices = true;
  for (const Output& asset :
       session.graph().collections().Get<Output>(graph_keys::kAssetFilepaths)) {
    meta_graph.assets.push_back({asset, ""});
  }
  RAMET_ASSIGN_OR_RETURN(SavedModelBuilder builder, SavedModelBuilder::Create(dir));
  RAMET_RETURN_IF_ERROR(builder.AddMetaGraphAndVariables(session, meta_graph));
  return builder.Save().status();
}

}  // namespace ramet
