// The uses of graph files and SavedModels.
#include <algorithm>

#include "draw.h"
#include "graph_summary.h"
#include "ramet/base/file.h"
#include "ramet/checkpoint/saver.h"
#include "ramet/freeze/freeze.h"
#include "ramet/graph_def/function.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/graph_def/import.h"
#include "ramet/replica/files/partitions.h"
#include "ramet/saved_model/builder.h"
#include "ramet/saved_model/convert_variables.h"
#include "ramet/saved_model/loader.h"
#include "use.h"
#include "values.h"

namespace ramet::fuzz {
namespace {

constexpr int64_t kRunMillis = 1000;

// Inspects as `ramet inspect` and `ramet draw` do.
void Inspect(FileUse& use, Graph& graph, const MetaGraphInfo& info) {
  use.progress.Phase("inspecting");
  cli::Summarize(graph, info);
  for (const auto& [key, bytes] : info.signature_defs) use.Ok(ParseSignature(bytes).status());
  if (!use.random.Percent(30)) return;
  use.progress.Phase("drawing");
  draw::PictureOptions options;
  options.depth = static_cast<int>(use.random.Below(4));
  options.all = use.random.Percent(50);
  auto picture = draw::MakePicture(graph, options);
  if (!use.Ok(picture.status())) return;
  draw::LayOut(&*picture);
  draw::PositionLabels(&*picture);
  draw::ToSvg(*picture, "title");
  draw::ToDot(*picture, "title");
}

ExportMetaGraphOptions DrawExport(FileUse& use, const MetaGraphInfo& info) {
  ExportMetaGraphOptions options;
  options.clear_devices = use.random.Percent(20);
  options.strip_default_attrs = use.random.Percent(30);
  options.clear_extraneous_savers = use.random.Percent(20);
  options.as_text = use.random.Percent(20);
  if (use.random.Percent(80)) options.carried = info.carried;
  if (use.random.Percent(80)) options.saver = info.saver;
  if (use.random.Percent(20)) options.export_scope = info.prefix;
  return options;
}

void ExportAgain(FileUse& use, const Graph& graph, const MetaGraphInfo& info) {
  use.progress.Phase("exporting");
  const ExportMetaGraphOptions options = DrawExport(use, info);
  const auto bytes = ExportMetaGraph(graph, options);
  if (!use.Ok(bytes.status())) return;
  use.progress.Phase("importing the export");
  Graph again;
  const Status status = ImportMetaGraphBytes(again, *bytes).status();
  // A part of a graph may lack its inputs, and text has no unknown fields.
  const bool whole = options.export_scope.empty() && !options.as_text;
  if (!status.ok() && whole) use.Find("export: cannot be imported: " + status.ToString());
  if (status.ok()) use.progress.Exported();
}

// Uses the saver that the file describes. Its nodes come from the file, so they may do anything.
void SaveAndRestore(FileUse& use, Graph& graph, Saver& saver) {
  auto session = Session::Create(graph, {.operation_timeout_in_ms = kRunMillis});
  if (!session.ok()) return;
  use.progress.Phase("restoring");
  const Status restored = saver.Restore(*session, JoinPath(use.folder, "m"));
  use.progress.Note(restored.ToString());
  if (restored.ok()) use.progress.Ran();
  use.progress.Phase("initializing");
  session->InitializeMissing().status().IgnoreError();
  use.progress.Phase("saving");
  const auto saved = saver.Save(*session, JoinPath(use.out, "saved"));
  use.progress.Note(saved.status().ToString());
  if (!saved.ok() || saved->empty()) return;
  use.progress.Phase("restoring what was saved");
  saver.Restore(*session, *saved).IgnoreError();
}

void Freeze(FileUse& use, const std::string& bytes, const std::string& node) {
  use.progress.Phase("freezing");
  use.Ok(ExtractSubGraph(bytes, {node}).status());
  use.Ok(RemoveTrainingNodes(bytes, {node}, use.random.Percent(50)).status());
  const std::map<std::string, Tensor> values = {{"w", Tensor(1.0f)}, {"b", Tensor(2.0f)}};
  const auto frozen = ReplaceVariables(bytes, values);
  if (!use.Ok(frozen.status())) return;
  Graph graph;
  use.Ok(ImportGraphDef(graph, *frozen, {.name = ""}).status());
}

void VisitFunctions(FileUse& use, const Graph& graph) {
  use.progress.Phase("reading functions");
  for (const std::string& name : FunctionNames(graph)) {
    FindFunction(graph, {name, nullptr}).status().IgnoreError();
  }
}

// Inspects, freezes and writes a SavedModel that was loaded.
void UseLoaded(FileUse& use, Graph& graph, Session& session, const LoadedSavedModel& loaded,
               const std::vector<std::string>& tags) {
  Inspect(use, graph, loaded.info);
  use.progress.Phase("converting variables");
  for (const auto& [key, signature] : loaded.signatures) {
    std::vector<std::string> nodes;
    for (const auto& [name, tensor] : signature.outputs) {
      nodes.push_back(tensor.name.substr(0, tensor.name.find(':')));
    }
    const auto frozen = ConvertVariablesToConstants(session, nodes);
    use.progress.Note(frozen.status().ToString());
  }
  use.progress.Phase("writing a SavedModel");
  const std::string dir = JoinPath(use.out, "saved_model");
  auto builder = SavedModelBuilder::Create(dir);
  SavedModelGraph described;
  described.tags = tags;
  described.signatures = loaded.signatures;
  described.assets = loaded.assets;
  described.carried = loaded.info.carried;
  if (!use.Ok(builder.status())) return;
  const Status added = builder->AddMetaGraphAndVariables(session, described);
  use.progress.Note(added.ToString());
  if (!added.ok() || !use.Ok(builder->Save(use.random.Percent(20)).status())) return;
  use.progress.Phase("loading what was written");
  Graph again;
  const auto imported = ImportSavedModel(again, dir, tags);
  if (!imported.ok()) use.Find("saved model: cannot be imported: " + imported.status().ToString());
  use.progress.Exported();
}

void UseMetaGraphOfModel(FileUse& use, const std::vector<std::string>& tags) {
  LoadSavedModelOptions options;
  if (use.random.Percent(20)) options.import_scope = "s";
  options.clear_devices = use.random.Percent(30);
  options.run_init_op = use.random.Percent(80);
  use.progress.Phase("importing a SavedModel");
  Graph alone;
  if (use.Ok(ImportSavedModel(alone, use.path, tags, options).status())) use.progress.Built();
  use.progress.Phase("loading a SavedModel");
  Graph graph;
  auto session = Session::Create(graph, {.operation_timeout_in_ms = kRunMillis});
  if (!use.Ok(session.status())) return;
  const auto loaded = LoadSavedModel(*session, use.path, tags, options);
  use.progress.Note(loaded.status().ToString());
  if (!loaded.ok()) return;
  use.progress.Ran();
  UseLoaded(use, graph, *session, *loaded, tags);
}

}  // namespace

void UseMetaGraph(FileUse& use) {
  use.progress.Phase("importing");
  ImportMetaGraphOptions options;
  if (use.random.Percent(20)) options.import_scope = "s";
  options.clear_devices = use.random.Percent(20);
  options.validate_shapes = use.random.Percent(80);
  Graph graph;
  auto imported = ImportMetaGraph(graph, use.path, options);
  graph.TakeError().IgnoreError();
  if (use.Ok(imported.status())) {
    use.progress.Built();
    Inspect(use, graph, imported->info);
    VisitFunctions(use, graph);
    ExportAgain(use, graph, imported->info);
    if (use.random.Percent(60)) SaveAndRestore(use, graph, imported->saver);
  }
  use.progress.Phase("finding parts");
  if (const auto bytes = ReadFile(use.path); bytes.ok()) files::PartsIn(*bytes);
  if (use.random.Percent(20)) UseTensors(use);
}

void UseGraph(FileUse& use) {
  use.progress.Phase("importing");
  Graph graph;
  const auto imported = ImportGraphDefFile(graph, use.path, {.name = ""});
  graph.TakeError().IgnoreError();
  if (use.Ok(imported.status())) {
    use.progress.Built();
    Inspect(use, graph, {});
    VisitFunctions(use, graph);
  }
  const auto bytes = ReadFile(use.path);
  const std::vector<Operation> all = graph.operations();
  if (bytes.ok()) Freeze(use, *bytes, all.empty() ? "y" : use.random.Pick(all).name());
  UseTensors(use);
}

void UseSavedModel(FileUse& use) {
  use.progress.Phase("reading tags");
  MaybeSavedModelDirectory(use.path);
  const auto tags = SavedModelTags(use.path);
  if (use.Ok(tags.status())) {
    constexpr size_t kMaxMetaGraphs = 20;  // each of them takes a look at the whole file
    for (size_t i = 0; i < std::min(tags->size(), kMaxMetaGraphs); ++i) {
      UseMetaGraphOfModel(use, (*tags)[i]);
    }
  }
  if (use.random.Percent(20)) UseTensors(use);
}

}  // namespace ramet::fuzz
