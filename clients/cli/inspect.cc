#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "checkpoint.h"
#include "command.h"
#include "graph_summary.h"
#include "model.h"
#include "model_file.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;
using Kind = ModelFile::Kind;

struct InspectOptions {
  std::string path;
  std::vector<std::string> tags;
  bool json = false, all = false, quick = false;
};

std::string KindJson(Kind kind) {
  const std::string name = KindName(kind);
  if (kind == Kind::kSafetensors) return "safetensors";
  return kind == Kind::kNpz ? "npz" : name.substr(name.find(' ') + 1);
}

// Describes each variable of the graph that the checkpoint lacks or has with a different dtype or
// shape, one line each.
std::vector<std::string> Lacks(const rm::Graph& graph, const CheckpointSummary& checkpoint) {
  std::map<std::string, const TensorInfo*> stored;
  for (const TensorInfo& tensor : checkpoint.tensors) stored[tensor.name] = &tensor;
  std::vector<std::string> lacks;
  for (const rm::Variable& variable :
       graph.collections().Get<rm::Variable>(rm::graph_keys::kGlobalVariables)) {
    const auto& slice = variable.record().save_slice_info;
    const std::string name = slice ? slice->full_name : variable.op_name();
    const rm::Shape shape = slice ? rm::Shape(slice->full_shape) : variable.shape();
    const auto found = stored.find(name);
    const std::string wanted = name + " " + TypeAndShape(variable.dtype(), shape);
    if (found == stored.end()) {
      lacks.push_back(wanted + " is missing");
    } else if (found->second->dtype != variable.dtype() ||
               !found->second->shape.IsCompatibleWith(shape)) {
      lacks.push_back(wanted + " is " + TypeAndShape(found->second->dtype, found->second->shape));
    }
  }
  return lacks;
}

std::string Verdict(const CheckpointSummary& checkpoint,
                    const std::optional<std::vector<std::string>>& lacks) {
  const bool good = lacks && lacks->empty();
  if (lacks) return Paint(good ? "complete" : "incomplete", good ? Color::kGreen : Color::kRed);
  return checkpoint.verified ? "readable" : "not read";
}

void PrintCheckpoint(const ModelFile& file, const CheckpointSummary& checkpoint,
                     const std::optional<std::vector<std::string>>& lacks) {
  const bool bare = file.kind == Kind::kSafetensors || file.kind == Kind::kNpz;
  const std::string& path = bare ? file.path : file.checkpoint;
  std::cout << (bare ? "" : "checkpoint ") << Clean(std::filesystem::path(path).filename().string())
            << ": "
            << Count(static_cast<int64_t>(checkpoint.tensors.size()), bare ? "tensor" : "variable")
            << ", " << Bytes(checkpoint.bytes);
  if (checkpoint.step >= 0) std::cout << ", step " << checkpoint.step;
  std::cout << ", " << Verdict(checkpoint, lacks) << "\n";
  for (const std::string& lack : lacks.value_or(std::vector<std::string>())) {
    std::cout << "  in the checkpoint " << Clean(lack) << "\n";
  }
  std::cout << "  format " << checkpoint.format;
  std::map<std::string, int64_t> dtypes;
  for (const TensorInfo& t : checkpoint.tensors) ++dtypes[rm::DTypeName(t.dtype)];
  for (const auto& [dtype, count] : dtypes) std::cout << ", " << count << " " << dtype;
  std::cout << "\n";
}

nlohmann::json ToJson(const ModelFile& file, const CheckpointSummary& checkpoint,
                      const std::optional<std::vector<std::string>>& lacks) {
  nlohmann::json json = {{"prefix", file.checkpoint.empty() ? file.path : file.checkpoint},
                         {"format", checkpoint.format},
                         {"variables", checkpoint.tensors.size()},
                         {"bytes", checkpoint.bytes},
                         {"verified", checkpoint.verified},
                         {"dtypes", nlohmann::json::object()}};
  for (const TensorInfo& t : checkpoint.tensors) {
    auto& count = json["dtypes"][rm::DTypeName(t.dtype)];
    count = count.is_null() ? 1 : count.get<int64_t>() + 1;
  }
  if (checkpoint.step >= 0) json["step"] = checkpoint.step;
  if (lacks) json["complete"] = lacks->empty();
  if (lacks) json["lacks"] = *lacks;
  return json;
}

rm::StatusOr<rm::MetaGraphInfo> ImportGraph(const ModelFile& file, const InspectOptions& options,
                                            rm::Graph* graph) {
  if (file.kind == Kind::kSavedModel) {
    RAMET_ASSIGN_OR_RETURN(const auto tags, ChooseTags(file.graph, options.tags));
    RAMET_ASSIGN_OR_RETURN(auto loaded, rm::ImportSavedModel(*graph, file.graph, tags));
    return std::move(loaded.info);
  }
  if (file.kind == Kind::kGraphDef) {
    RAMET_RETURN_IF_ERROR(rm::ImportGraphDefFile(*graph, file.graph, {.name = ""}).status());
    return rm::MetaGraphInfo();
  }
  return rm::ImportMetaGraphFile(*graph, file.graph);
}

rm::Status ShowTagSets(const ModelFile& file, const InspectOptions& options, nlohmann::json* json) {
  RAMET_ASSIGN_OR_RETURN(const auto sets, rm::SavedModelTags(file.graph));
  (*json)["tag_sets"] = sets;
  if (options.json) return rm::OkStatus();
  RAMET_ASSIGN_OR_RETURN(const auto chosen, ChooseTags(file.graph, options.tags));
  std::cout << "SavedModel " << Clean(file.path) << ": tags "
            << Clean(chosen.empty() ? "none" : rm::StrJoin(chosen, ","));
  for (const auto& tags : sets) {
    if (tags != chosen) std::cout << "; also available: --tags " << Clean(rm::StrJoin(tags, ","));
  }
  std::cout << "\n";
  return rm::OkStatus();
}

rm::Status Inspect(const InspectOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, FindModelFile(options.path));
  rm::Graph graph;
  nlohmann::json json = {{"file", file.path}, {"kind", KindJson(file.kind)}};
  if (file.kind == Kind::kSavedModel) RAMET_RETURN_IF_ERROR(ShowTagSets(file, options, &json));
  if (!file.graph.empty()) {
    RAMET_ASSIGN_OR_RETURN(const auto info, ImportGraph(file, options, &graph));
    const GraphSummary summary = Summarize(graph, info);
    options.json ? void(json["graph"] = ToJson(summary)) : PrintGraph(summary, options.all);
  }
  if (!file.checkpoint.empty() || file.graph.empty()) {
    const std::string& path = file.checkpoint.empty() ? file.path : file.checkpoint;
    RAMET_ASSIGN_OR_RETURN(const CheckpointSummary checkpoint,
                           options.quick ? ListCheckpoint(path) : VerifyCheckpoint(path));
    std::optional<std::vector<std::string>> lacks;
    if (!file.graph.empty()) lacks = Lacks(graph, checkpoint);
    options.json ? void(json["checkpoint"] = ToJson(file, checkpoint, lacks))
                 : PrintCheckpoint(file, checkpoint, lacks);
  }
  if (options.json) PrintJson(json);
  return rm::OkStatus();
}

}  // namespace

void AddInspect(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("inspect",
                                     "Summarize a graph: inputs, outputs, variables and whether it "
                                     "runs here; verify its checkpoint");
  auto o = std::make_shared<InspectOptions>();
  command
      ->add_option("FILE", o->path,
                   "A .meta file, a GraphDef, a SavedModel folder, a checkpoint PREFIX, a "
                   ".safetensors or .npz file, or a folder with a 'checkpoint' file")
      ->required();
  command->add_option("--tags", o->tags, kTagsHelp)->delimiter(',')->type_name("TAGS");
  command->add_flag("--all", o->all, "Print long lists in full");
  command->add_flag("--quick", o->quick, "List the checkpoint's tensors without reading them");
  command->add_flag("--json", o->json, "Print a JSON object");
  command->footer(
      "Inputs are the placeholders. Outputs are the tensors that depend on an input and that no\n"
      "other operation reads. Every tensor of the checkpoint is read and its checksum verified.\n"
      "Exit codes: 0 success, 1 failure, 2 usage error.\n"
      "Examples:\n  ramet inspect model-1000.meta\n  ramet inspect saved_model/ --all\n"
      "  ramet inspect model-1000 --json | jq .graph.runs_here");
  command->callback([=] { *status = Inspect(*o); });
}

}  // namespace cli
