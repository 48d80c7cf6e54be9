#include "model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "feed_value.h"

namespace cli {
namespace {

namespace rm = ramet;

// Finds a tensor, or an operation without outputs.
rm::StatusOr<rm::GraphElement> FindElement(const rm::Graph& graph, const std::string& name) {
  if (name.find(':') != std::string::npos) {
    RAMET_ASSIGN_OR_RETURN(const rm::Output tensor, graph.Tensor(name));
    return rm::GraphElement(tensor);
  }
  RAMET_ASSIGN_OR_RETURN(const rm::Operation op, graph.FindOperation(name));
  if (op.num_outputs() == 0) return rm::GraphElement(op);
  return rm::GraphElement(op.output(0));
}

std::string NameOf(const rm::GraphElement& element) {
  const auto* tensor = std::get_if<rm::Output>(&element.element());
  return tensor ? tensor->name() : std::get<rm::Operation>(element.element()).name();
}

// Returns the name of the tensor for a key of a signature, or `key` itself if it is not one.
std::string TensorOf(const std::map<std::string, rm::SignatureTensor>& keys,
                     const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() || found->second.name.empty() ? key : found->second.name;
}

template <class Map>
std::string KeysOf(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back("'" + key + "'");
  return keys.empty() ? "none" : rm::StrJoin(keys, ", ");
}

// Finds the files that the options name together.
rm::StatusOr<ModelFile> Locate(const ModelOptions& options) {
  RAMET_ASSIGN_OR_RETURN(ModelFile file, FindModelFile(options.path));
  if (!options.meta.empty()) {
    RAMET_ASSIGN_OR_RETURN(ModelFile graph, FindModelFile(options.meta));
    graph.checkpoint = file.checkpoint;
    file = std::move(graph);
  }
  if (!options.checkpoint.empty()) {
    RAMET_ASSIGN_OR_RETURN(const ModelFile values, FindModelFile(options.checkpoint));
    file.checkpoint = values.checkpoint;
    if (values.checkpoint.empty()) {
      return rm::InvalidArgument("--checkpoint '", options.checkpoint,
                                 "': expected a checkpoint, found ", KindName(values.kind));
    }
  }
  if (!file.graph.empty()) return file;
  if (file.kind == ModelFile::Kind::kCheckpoint) {
    return rm::NotFound("'", file.path, "' is a checkpoint without a graph: there is no '",
                        file.path, ".meta'; name the graph with --meta");
  }
  return rm::NotFound("'", file.path, "' is ", KindName(file.kind),
                      ", which has no graph; expected a checkpoint with its .meta file, a "
                      "SavedModel or a GraphDef");
}

// Returns how to find the name of an element. If `name` is a name scope, its last operation is
// probably meant.
std::string NameHint(const rm::Graph& graph, const std::string& name) {
  const std::string scope = name + "/";
  std::string meant;
  for (const rm::Operation& op : graph.operations()) {
    const std::string found = op.name();
    const bool is_in = found.starts_with(scope) && found.find('/', scope.size()) == found.npos;
    if (is_in && op.num_outputs() > 0) meant = found;
  }
  const std::string hint = "; 'ramet inspect' shows the names";
  return meant.empty() ? hint : rm::StrCat(hint, "; did you mean '", meant, "'?");
}

std::string TagText(const std::vector<std::string>& tags) {
  return tags.empty() ? "(no tags)" : rm::StrJoin(tags, ",");
}

}  // namespace

rm::StatusOr<std::vector<std::string>> ChooseTags(const std::string& folder,
                                                  const std::vector<std::string>& wanted) {
  RAMET_ASSIGN_OR_RETURN(const auto sets, rm::SavedModelTags(folder));
  if (wanted.empty() && sets.size() == 1) return sets[0];
  const std::vector<std::string> serve = {rm::saved_model_keys::kServing};
  const std::vector<std::string>& meant = wanted.empty() ? serve : wanted;
  std::vector<std::string> there;
  for (const auto& tags : sets) {
    if (std::set(tags.begin(), tags.end()) == std::set(meant.begin(), meant.end())) return tags;
    there.push_back("--tags " + TagText(tags));
  }
  return rm::NotFound("SavedModel '", folder, "' has ",
                      wanted.empty() ? "several graphs, none of them" : "no graph",
                      " with the tags ", TagText(meant),
                      "; available: ", there.empty() ? "none" : rm::StrJoin(there, "; "));
}

rm::StatusOr<Model> Model::Import(const std::string& meta_path) {
  Model model;
  RAMET_RETURN_IF_ERROR(
      model.ImportGraph({}, {ModelFile::Kind::kMetaGraph, meta_path, meta_path, ""}));
  RAMET_ASSIGN_OR_RETURN(auto session, rm::Session::Create(*model.graph_));
  model.session_ = std::make_shared<rm::Session>(std::move(session));
  return model;
}

Model Model::Over(rm::Session& session) {
  Model model;
  model.graph_ = std::shared_ptr<rm::Graph>(std::shared_ptr<void>(), &session.graph());
  model.session_ = std::shared_ptr<rm::Session>(std::shared_ptr<void>(), &session);
  model.has_values_ = true;
  return model;
}

rm::StatusOr<Model> Model::Open(const ModelOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, Locate(options));
  Model model;
  RAMET_ASSIGN_OR_RETURN(auto session,
                         rm::Session::Create(*model.graph_, {.allow_soft_placement = true}));
  model.session_ = std::make_shared<rm::Session>(std::move(session));
  model.has_values_ = !file.checkpoint.empty();
  model.checkpoint_ = file.checkpoint;
  if (file.kind == ModelFile::Kind::kSavedModel) {
    RAMET_RETURN_IF_ERROR(model.ImportSavedModel(options, file));
  } else {
    RAMET_RETURN_IF_ERROR(model.ImportGraph(options, file));
    if (!file.checkpoint.empty()) RAMET_RETURN_IF_ERROR(model.Restore(file.checkpoint));
  }
  return model;
}

rm::Status Model::ImportSavedModel(const ModelOptions& options, const ModelFile& file) {
  RAMET_ASSIGN_OR_RETURN(const auto tags, ChooseTags(file.graph, options.tags));
  const rm::LoadSavedModelOptions how{.clear_devices = options.clear_devices};
  auto imported = options.run_init_op ? rm::LoadSavedModel(*session_, file.graph, tags, how)
                                      : rm::ImportSavedModel(*graph_, file.graph, tags, how);
  RAMET_ASSIGN_OR_RETURN(rm::LoadedSavedModel loaded, std::move(imported));
  signatures_ = std::move(loaded.signatures);
  const bool restored =
      options.run_init_op && file.checkpoint == file.graph + "/variables/variables";
  if (restored || file.checkpoint.empty()) return rm::OkStatus();
  if (loaded.info.saver) {
    saver_ = std::make_unique<rm::Saver>(rm::Saver::FromNames(*graph_, *loaded.info.saver));
  } else if (!loaded.info.variables.empty()) {
    saver_ =
        std::make_unique<rm::Saver>(*graph_, rm::SaverOptions{.var_list = loaded.info.variables});
  }
  return saver_ ? Restore(file.checkpoint) : rm::OkStatus();
}

rm::Status Model::ImportGraph(const ModelOptions& options, const ModelFile& file) {
  RAMET_ASSIGN_OR_RETURN(const std::string kind, rm::MessageKindOfFile(file.graph));
  if (kind == "GraphDef") {
    const rm::ImportOptions how{.name = "", .clear_devices = options.clear_devices};
    RAMET_RETURN_IF_ERROR(rm::ImportGraphDefFile(*graph_, file.graph, how).status());
    const rm::SaverNames usual{.filename_tensor_name = "save/Const:0",
                               .save_tensor_name = "save/control_dependency:0",
                               .restore_op_name = "save/restore_all"};
    if (graph_->HasOperation(usual.restore_op_name) && graph_->HasOperation("save/Const")) {
      saver_ = std::make_unique<rm::Saver>(rm::Saver::FromNames(*graph_, usual));
    }
    return rm::OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(
      auto imported,
      rm::ImportMetaGraph(*graph_, file.graph, {.clear_devices = options.clear_devices}));
  saver_ = std::make_unique<rm::Saver>(std::move(imported.saver));
  for (const auto& [key, bytes] : imported.info.signature_defs) {
    RAMET_ASSIGN_OR_RETURN(signatures_[key], rm::ParseSignature(bytes));
  }
  return rm::OkStatus();
}

rm::Status Model::Restore(const std::string& prefix) {
  if (saver_) return saver_->Restore(*session_, prefix);
  return rm::InvalidArgument("the graph has no saver (save/restore_all) to restore '", prefix,
                             "' with; use the .meta file that was written with the checkpoint");
}

rm::StatusOr<rm::Signature> Model::FindSignature(const std::string& name) const {
  const auto found = signatures_.find(name);
  if (found != signatures_.end()) return found->second;
  return rm::NotFound("the model has no signature '", name,
                      "'; available signatures: ", KeysOf(signatures_));
}

rm::Status Model::Prepare(const std::vector<std::string>& feeds,
                          const std::vector<std::string>& fetches, const std::string& signature) {
  rm::Signature named;
  if (!signature.empty()) {
    RAMET_ASSIGN_OR_RETURN(named, FindSignature(signature));
  }
  for (const std::string& feed : feeds) RAMET_RETURN_IF_ERROR(AddFeed(feed, named));
  if (!signature.empty()) RAMET_RETURN_IF_ERROR(AddDefaults(signature, named));
  for (const std::string& fetch : fetches) RAMET_RETURN_IF_ERROR(AddFetch(fetch, named));
  if (!fetches.empty()) return rm::OkStatus();
  for (const auto& [key, tensor] : named.outputs) RAMET_RETURN_IF_ERROR(AddFetch(key, named));
  return rm::OkStatus();
}

rm::StatusOr<rm::PlanReport> Model::Explain() const {
  std::vector<rm::GraphElement> fed;
  for (const rm::Feed& feed : feeds_) fed.push_back(feed.tensor);
  return rm::ExplainRun(*session_, fed, fetches_);
}

rm::Status Model::AddFeed(const std::string& feed, const rm::Signature& signature) {
  const size_t equals = feed.find('=');
  if (equals == std::string::npos || equals == 0) {
    return rm::InvalidArgument("--feed ", feed, ": expected NAME=FILE.npy or NAME=VALUE");
  }
  const std::string name = feed.substr(0, equals);
  auto element = FindElement(*graph_, TensorOf(signature.inputs, name));
  if (!element.ok()) {
    const std::string inputs = signature.inputs.empty()
                                   ? ""
                                   : " (inputs of the signature: " + KeysOf(signature.inputs) + ")";
    return element.status().WithContext(rm::StrCat("--feed ", name)).WithSuffix(inputs);
  }
  const auto* tensor = std::get_if<rm::Output>(&element->element());
  if (tensor == nullptr) {
    return rm::InvalidArgument("--feed ", name, ": an operation without outputs cannot be fed");
  }
  auto value = ReadFeedValue(feed.substr(equals + 1), rm::BaseType(tensor->dtype()));
  if (!value.ok()) return value.status().WithContext("--feed " + feed.substr(0, 200));
  feeds_.push_back({*tensor, *std::move(value)});
  return rm::OkStatus();
}

rm::Status Model::AddDefaults(const std::string& name, const rm::Signature& signature) {
  std::set<std::string> fed;
  for (const rm::Feed& feed : feeds_) fed.insert(NameOf(feed.tensor));
  for (const auto& [key, info] : signature.inputs) {
    if (info.name.empty() || fed.contains(info.name)) continue;
    RAMET_ASSIGN_OR_RETURN(const rm::Output tensor, graph_->Tensor(info.name));
    const auto value = signature.defaults.find(key);
    if (value != signature.defaults.end()) {
      feeds_.push_back({tensor, value->second});
    } else if (tensor.op().type() != "PlaceholderWithDefault") {
      return rm::InvalidArgument("signature '", name, "' has the inputs ", KeysOf(signature.inputs),
                                 ", but '", key, "' is not fed; add --feed ", key, "=VALUE (",
                                 rm::DTypeName(info.dtype), info.shape, ")");
    }
  }
  return rm::OkStatus();
}

rm::Status Model::AddFetch(const std::string& fetch, const rm::Signature& signature) {
  const std::string name = TensorOf(signature.outputs, fetch);
  auto element = FindElement(*graph_, name);
  if (!element.ok()) {
    const std::string outputs =
        signature.outputs.empty()
            ? ""
            : " (outputs of the signature: " + KeysOf(signature.outputs) + ")";
    return element.status()
        .WithContext("--fetch " + fetch)
        .WithSuffix(outputs.empty() ? NameHint(*graph_, name) : outputs);
  }
  fetched_names_.push_back(name == fetch ? NameOf(*element) : fetch);
  fetches_.push_back(*std::move(element));
  return rm::OkStatus();
}

}  // namespace cli
