#include "graph_output.h"

#include <filesystem>

#include "model.h"
#include "output_file.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr std::string_view kMeta = ".meta";

}  // namespace

rm::Status ImportGraphOf(const std::string& path, const std::vector<std::string>& tags,
                         rm::Graph* graph) {
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, FindModelFile(path));
  if (file.graph.empty()) {
    return rm::NotFound("'", file.path, "' is ", KindName(file.kind),
                        " without a graph; expected a .meta file, SavedModel or GraphDef");
  }
  switch (file.kind) {
    case ModelFile::Kind::kSavedModel: {
      RAMET_ASSIGN_OR_RETURN(const auto chosen, ChooseTags(file.graph, tags));
      return rm::ImportSavedModel(*graph, file.graph, chosen).status();
    }
    case ModelFile::Kind::kGraphDef:
      return rm::ImportGraphDefFile(*graph, file.graph, {.name = ""}).status();
    default: return rm::ImportMetaGraphFile(*graph, file.graph).status();
  }
}

rm::Status CheckModelOutput(const std::string& file) {
  const std::filesystem::path path(file);
  if (!file.ends_with(kMeta) || path.filename() == kMeta) {
    return rm::InvalidArgument("--output '", file, "': expected a name that ends in .meta");
  }
  return CheckFolderOf("--output '" + file + "'", file);
}

rm::StatusOr<WrittenModel> WriteModel(rm::Session& session, const std::string& file,
                                      bool with_values) {
  rm::Graph& graph = session.graph();
  rm::Saver saver(graph, {.allow_empty = true});
  RAMET_RETURN_IF_ERROR(graph.TakeError());
  WrittenModel written{file, ""};
  if (with_values && !saver.empty()) {
    const std::string prefix = file.substr(0, file.size() - kMeta.size());
    RAMET_ASSIGN_OR_RETURN(written.checkpoint, saver.Save(session, prefix, {.write_state = false}));
  } else if (saver.empty()) {
    RAMET_RETURN_IF_ERROR(rm::ExportMetaGraphFile(graph, file));
  } else {
    RAMET_RETURN_IF_ERROR(saver.ExportMetaGraph(file));
  }
  return written;
}

}  // namespace cli
