#include "model/loaded_graph.h"

#include <utility>

#include "model/default_signature.h"
#include "model_file.h"

namespace server {
namespace {

namespace rm = ramet;
using Kind = cli::ModelFile::Kind;

constexpr char kReservedKeys[] = "__saved_model_";

rm::StatusOr<Signatures> LoadFolder(rm::Session& session, const std::string& folder,
                                    const LoadOptions& options) {
  RAMET_ASSIGN_OR_RETURN(
      rm::LoadedSavedModel loaded,
      rm::LoadSavedModel(session, folder, options.tags, {.clear_devices = true}));
  return std::move(loaded.signatures);
}

// A checkpoint does not hold the contents of tables.
rm::Status InitializeTables(rm::Session& session) {
  const auto& collections = session.graph().collections();
  std::vector<rm::GraphElement> tables;
  for (const auto& op : collections.Get<rm::Operation>(rm::graph_keys::kTableInitializers)) {
    tables.push_back(rm::GraphElement(op));
  }
  return tables.empty() ? rm::OkStatus() : session.Run(rm::Fetches(tables)).status();
}

rm::StatusOr<Signatures> LoadMetaGraph(rm::Session& session, const cli::ModelFile& file) {
  RAMET_ASSIGN_OR_RETURN(rm::ImportedMetaGraph imported,
                         rm::ImportMetaGraph(session.graph(), file.graph, {.clear_devices = true}));
  if (!file.checkpoint.empty()) {
    RAMET_RETURN_IF_ERROR(imported.saver.Restore(session, file.checkpoint));
  } else if (!imported.info.variables.empty()) {
    return rm::NotFound("'", file.graph, "' has variables, but no checkpoint was found next to it");
  }
  RAMET_RETURN_IF_ERROR(InitializeTables(session));
  return ParseSignatures(imported.info.signature_defs);
}

rm::StatusOr<Signatures> LoadGraphDef(rm::Session& session, const std::string& path) {
  RAMET_RETURN_IF_ERROR(
      rm::ImportGraphDefFile(session.graph(), path, {.name = "", .clear_devices = true}).status());
  return Signatures();
}

rm::StatusOr<Signatures> LoadFile(rm::Session& session, const std::string& path,
                                  const LoadOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const cli::ModelFile file, cli::FindModelFile(path));
  if (file.kind == Kind::kSavedModel) return LoadFolder(session, file.graph, options);
  if (file.graph.empty()) {
    return rm::InvalidArgument("'", path, "' is ", cli::KindName(file.kind),
                               " without a graph; expected a SavedModel folder, a checkpoint with "
                               "its .meta file, or a frozen graph");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string kind, rm::MessageKindOfFile(file.graph));
  return kind == "GraphDef" ? LoadGraphDef(session, file.graph) : LoadMetaGraph(session, file);
}

}  // namespace

Signatures ParseSignatures(const std::map<std::string, std::string>& signature_defs) {
  Signatures signatures;
  for (const auto& [key, bytes] : signature_defs) {
    auto parsed = rm::ParseSignature(bytes);
    if (parsed.ok() && !key.starts_with(kReservedKeys)) signatures.emplace(key, *std::move(parsed));
  }
  return signatures;
}

rm::StatusOr<std::shared_ptr<const Signatures>> ChooseSignatures(
    const rm::Graph& graph, Signatures signatures, const std::vector<std::string>& outputs) {
  if (signatures.empty()) {
    RAMET_ASSIGN_OR_RETURN(signatures[rm::saved_model_keys::kDefaultServingSignature],
                           DefaultSignature(graph, outputs));
  }
  return std::make_shared<const Signatures>(std::move(signatures));
}

int64_t VariableBytes(const rm::Session& session) {
  int64_t bytes = 0;
  const auto& collections = session.graph().collections();
  for (const auto& variable : collections.Get<rm::Variable>(rm::graph_keys::kGlobalVariables)) {
    const auto value = session.Value(variable);
    if (value.ok() && !value->empty()) bytes += static_cast<int64_t>(value->bytes());
  }
  return bytes;
}

rm::StatusOr<LoadedGraph> LoadGraph(const std::string& path, const LoadOptions& options) {
  LoadedGraph loaded;
  RAMET_ASSIGN_OR_RETURN(loaded.session, rm::Session::Create(*loaded.graph, options.session));
  RAMET_ASSIGN_OR_RETURN(Signatures signatures, LoadFile(*loaded.session, path, options));
  RAMET_ASSIGN_OR_RETURN(loaded.signatures,
                         ChooseSignatures(*loaded.graph, std::move(signatures), options.outputs));
  loaded.bytes = VariableBytes(*loaded.session);
  return loaded;
}

}  // namespace server
