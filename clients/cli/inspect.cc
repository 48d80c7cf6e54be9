#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "checkpoint.h"
#include "command.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr size_t kMostShown = 8;

struct GraphSummary {
  int ops = 0;
  // Placeholders, and what is made from them and read by nobody; those of saver and gradients left
  // out.
  std::vector<rm::Output> inputs, outputs;
  // Ops that have no kernel here, with their nodes.
  std::map<std::string, std::vector<std::string>> missing;
};

// The scope of a node's name with its slash: "save/" for "save/restore_all".
std::string ScopeOf(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// Finds what a person would feed and fetch.
class EndsFinder {
 public:
  EndsFinder(const rm::Graph& graph, const rm::MetaGraphInfo& info)
      : operations_(graph.operations()), read_(operations_.size()), fed_(operations_.size()) {
    if (info.saver) saver_scope_ = ScopeOf(info.saver->restore_op_name);
    for (const rm::Operation& op : operations_) {
      if (IsAside(op)) continue;
      for (const rm::Output& input : op.inputs()) read_[input.op().id()] = true;
    }
  }

  void Find(GraphSummary* summary) {
    for (const rm::Operation& op : operations_) {
      if (IsAside(op)) continue;
      if (op.type().starts_with("Placeholder")) {
        summary->inputs.push_back(op.output(0));
        fed_[op.id()] = true;
        continue;
      }
      for (const rm::Output& input : op.inputs()) fed_[op.id()] |= fed_[input.op().id()];
      if (fed_[op.id()] && !read_[op.id()]) AddOutputs(op, summary);
    }
  }

 private:
  // Whether a node is part of saving, training or checking, not of what the graph computes.
  bool IsAside(const rm::Operation& op) const {
    const std::string path = "/" + op.name();
    return (!saver_scope_.empty() && op.name().starts_with(saver_scope_)) ||
           path.find("/gradients") != std::string::npos || path.ends_with("/switch_t") ||
           path.ends_with("/switch_f") || path.find("/assert_") != std::string::npos;
  }

  static void AddOutputs(const rm::Operation& op, GraphSummary* summary) {
    static const std::set<std::string> kPlumbing = {"Shape", "ShapeN", "Size",
                                                    "Rank",  "Switch", "Assert"};
    if (kPlumbing.contains(op.type())) return;
    for (const rm::Output& output : op.outputs()) {
      if (!rm::IsRef(output.dtype())) summary->outputs.push_back(output);
    }
  }

  std::vector<rm::Operation> operations_;
  std::string saver_scope_;
  // By node id: whether some other node reads it; whether it depends on a placeholder.
  std::vector<char> read_, fed_;
};

GraphSummary Summarize(const rm::Graph& graph, const rm::MetaGraphInfo& info) {
  GraphSummary summary;
  summary.ops = graph.num_operations();
  EndsFinder(graph, info).Find(&summary);
  for (const rm::Operation& op : graph.operations()) {
    const bool runs = op.op().registered() && op.op().HasKernel("CPU", *op.attrs());
    if (!runs) summary.missing[op.type()].push_back(op.name());
  }
  return summary;
}

std::string Ends(const std::vector<rm::Output>& ends) {
  if (ends.empty()) return "none";
  std::vector<std::string> texts;
  for (const rm::Output& end : ends) {
    if (texts.size() == kMostShown) {
      texts.push_back(rm::StrCat("and ", ends.size() - kMostShown, " more"));
      break;
    }
    texts.push_back(end.name() + " " + TypeAndShape(end.dtype(), end.shape()));
  }
  return rm::StrJoin(texts, ", ");
}

void PrintGraph(const GraphSummary& graph) {
  std::cout << "graph " << graph.ops
            << " ops · runs here: " << (graph.missing.empty() ? "yes" : "no") << " · inputs "
            << Ends(graph.inputs) << " · outputs " << Ends(graph.outputs) << "\n";
  for (const auto& [op, nodes] : graph.missing) {
    std::cout << "  cannot run here: " << op << " (" << Count(nodes.size(), "node") << ": "
              << rm::StrJoin(std::span(nodes).first(std::min(nodes.size(), kMostShown)), ", ")
              << (nodes.size() > kMostShown ? ", ..." : "") << ")\n";
  }
}

nlohmann::json EndsJson(const std::vector<rm::Output>& ends) {
  auto json = nlohmann::json::array();
  for (const rm::Output& end : ends) {
    json.push_back({{"name", end.name()},
                    {"dtype", rm::DTypeName(end.dtype())},
                    {"shape", ShapeJson(end.shape())}});
  }
  return json;
}

nlohmann::json ToJson(const GraphSummary& graph) {
  return {{"ops", graph.ops},
          {"runs_here", graph.missing.empty()},
          {"inputs", EndsJson(graph.inputs)},
          {"outputs", EndsJson(graph.outputs)},
          {"missing_ops", graph.missing}};
}

// What the graph's variables lack in the checkpoint, one line each.
std::vector<std::string> Lacks(const rm::Graph& graph, const CheckpointSummary& checkpoint) {
  std::map<std::string, const rm::CheckpointTensor*> stored;
  for (const rm::CheckpointTensor& tensor : checkpoint.tensors) stored[tensor.name] = &tensor;
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

void PrintCheckpoint(const std::string& prefix, const CheckpointSummary& checkpoint,
                     const std::optional<std::vector<std::string>>& lacks) {
  std::cout << "checkpoint " << std::filesystem::path(prefix).filename().string() << ": "
            << Count(checkpoint.tensors.size(), "variable") << ", " << Bytes(checkpoint.bytes);
  if (checkpoint.step >= 0) std::cout << ", step " << checkpoint.step;
  std::cout << (!lacks ? ", readable" : lacks->empty() ? ", complete" : ", incomplete") << "\n";
  for (const std::string& lack : lacks.value_or(std::vector<std::string>())) {
    std::cout << "  in the checkpoint " << lack << "\n";
  }
}

nlohmann::json ToJson(const std::string& prefix, const CheckpointSummary& checkpoint,
                      const std::optional<std::vector<std::string>>& lacks) {
  nlohmann::json json = {
      {"prefix", prefix}, {"variables", checkpoint.tensors.size()}, {"bytes", checkpoint.bytes}};
  if (checkpoint.step >= 0) json["step"] = checkpoint.step;
  if (lacks) json["complete"] = lacks->empty();
  if (lacks) json["lacks"] = *lacks;
  return json;
}

rm::Status Inspect(std::string prefix, bool as_json) {
  const std::string suffix = ".meta";
  const bool meta_wanted = prefix.ends_with(suffix);
  if (meta_wanted) prefix.resize(prefix.size() - suffix.size());
  const bool has_meta = meta_wanted || std::filesystem::exists(prefix + suffix);
  rm::Graph graph;
  nlohmann::json json = nlohmann::json::object();
  if (has_meta) {
    RAMET_ASSIGN_OR_RETURN(const auto info, rm::ImportMetaGraphFile(graph, prefix + suffix));
    const GraphSummary summary = Summarize(graph, info);
    as_json ? void(json["graph"] = ToJson(summary)) : PrintGraph(summary);
  }
  if (!meta_wanted || rm::BundleExists(prefix) || std::filesystem::is_regular_file(prefix)) {
    RAMET_ASSIGN_OR_RETURN(const CheckpointSummary checkpoint, VerifyCheckpoint(prefix));
    std::optional<std::vector<std::string>> lacks;
    if (has_meta) lacks = Lacks(graph, checkpoint);
    as_json ? void(json["checkpoint"] = ToJson(prefix, checkpoint, lacks))
            : PrintCheckpoint(prefix, checkpoint, lacks);
  }
  if (as_json) std::cout << json.dump(2) << "\n";
  return rm::OkStatus();
}

}  // namespace

void AddInspect(CLI::App& app, rm::Status* status) {
  auto* command = app.add_subcommand("inspect",
                                     "What a graph takes and gives, whether it runs here; "
                                     "whether its checkpoint is complete");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("PATH", *path, "FILE.meta, or a checkpoint's PREFIX")->required();
  command->add_flag("--json", *json, "As a JSON object");
  command->footer(
      "Inputs are the placeholders, outputs the tensors made from them that nobody reads.\n"
      "The checkpoint's tensors are all read and their checksums verified.\n"
      "Examples:\n  ramet inspect model-1000.meta\n  ramet inspect model-1000 --json");
  command->callback([=] { *status = Inspect(*path, *json); });
}

}  // namespace cli
