#include <algorithm>
#include <iostream>

#include "graph_summary.h"
#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

constexpr size_t kMaxShown = 8;

// Joins the items with commas: all of them, or the first few and the number of the rest.
std::string Row(std::vector<std::string> items, bool all) {
  if (items.empty()) return "none";
  if (!all && items.size() > kMaxShown + 1) {
    const size_t more = items.size() - kMaxShown;
    items.resize(kMaxShown);
    items.push_back(rm::StrCat("and ", more, " more"));
  }
  return Clean(rm::StrJoin(items, ", "));
}

std::string Ends(const std::vector<rm::Output>& ends, bool all) {
  std::vector<std::string> texts;
  for (const rm::Output& end : ends) {
    texts.push_back(end.name() + " " + TypeAndShape(end.dtype(), end.shape()));
  }
  return Row(std::move(texts), all);
}

std::string Types(const GraphSummary& graph, bool all) {
  std::vector<std::pair<std::string, int>> types(graph.op_types.begin(), graph.op_types.end());
  std::ranges::stable_sort(types, std::greater<>(), [](const auto& t) { return t.second; });
  std::vector<std::string> texts;
  for (const auto& [type, count] : types) texts.push_back(rm::StrCat(type, " ", count));
  return Row(std::move(texts), all);
}

std::string Variables(const GraphSummary& graph, bool all) {
  std::vector<std::string> texts;
  for (const GraphSummary::Variable& v : graph.variables) {
    texts.push_back(v.name + " " + TypeAndShape(v.dtype, v.shape));
  }
  return Row(std::move(texts), all);
}

std::string Collections(const GraphSummary& graph, bool all) {
  std::vector<std::string> texts;
  for (const auto& [key, items] : graph.collections) texts.push_back(rm::StrCat(key, " ", items));
  return Row(std::move(texts), all);
}

// Returns the name of a signature's tensor, or what it is if it has none.
std::string Source(const rm::SignatureTensor& tensor) {
  if (!tensor.name.empty()) return tensor.name;
  return tensor.sparse ? "sparse " + tensor.sparse->values_tensor_name : "composite";
}

void PrintSignature(const std::string& key, const rm::Signature& signature) {
  std::cout << "  signature " << Clean(key) << " (" << Clean(signature.method_name) << ")\n";
  const auto print = [](const char* what, const auto& tensors) {
    for (const auto& [name, tensor] : tensors) {
      std::cout << "    " << what << " " << Clean(name) << ": " << Clean(Source(tensor)) << " "
                << TypeAndShape(tensor.dtype, tensor.shape) << "\n";
    }
  };
  print("input", signature.inputs);
  print("output", signature.outputs);
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

nlohmann::json TensorsJson(const std::map<std::string, rm::SignatureTensor>& tensors) {
  auto json = nlohmann::json::object();
  for (const auto& [key, tensor] : tensors) {
    json[key] = {{"name", tensor.name},
                 {"dtype", rm::DTypeName(tensor.dtype)},
                 {"shape", ShapeJson(tensor.shape)}};
    if (tensor.sparse) {
      json[key]["sparse"] = {{"values", tensor.sparse->values_tensor_name},
                             {"indices", tensor.sparse->indices_tensor_name},
                             {"dense_shape", tensor.sparse->dense_shape_tensor_name}};
    }
  }
  return json;
}

nlohmann::json VariablesJson(const GraphSummary& graph) {
  auto json = nlohmann::json::array();
  for (const GraphSummary::Variable& v : graph.variables) {
    json.push_back({{"name", v.name},
                    {"dtype", rm::DTypeName(v.dtype)},
                    {"shape", ShapeJson(v.shape)},
                    {"bytes", v.bytes},
                    {"trainable", v.trainable}});
  }
  return json;
}

}  // namespace

void PrintGraph(const GraphSummary& graph, bool all) {
  const bool runs = graph.cannot_run.empty();
  std::cout << "graph " << Count(graph.ops, "op")
            << " · runs here: " << Paint(runs ? "yes" : "no", runs ? Color::kGreen : Color::kRed)
            << " · inputs " << Ends(graph.inputs, all) << " · outputs " << Ends(graph.outputs, all)
            << "\n";
  for (const GraphSummary::Missing& missing : graph.cannot_run) {
    std::cout << "  cannot run here: " << missing.op << " (" << Count(missing.nodes.size(), "node")
              << ": " << Row(missing.nodes, all) << "): " << Clean(missing.reason) << "\n";
  }
  std::cout << "  GraphDef version " << graph.producer;
  if (graph.min_consumer > 0) std::cout << ", minimum consumer " << graph.min_consumer;
  if (!graph.tensorflow_version.empty()) {
    std::cout << ", TensorFlow version " << Clean(graph.tensorflow_version);
  }
  std::cout << "\n  " << Count(static_cast<int64_t>(graph.op_types.size()), "op type") << ": "
            << Types(graph, all) << "\n";
  if (!graph.variables.empty()) {
    std::cout << "  " << Count(static_cast<int64_t>(graph.variables.size()), "variable") << ", "
              << Bytes(graph.variable_bytes) << ": " << Variables(graph, all) << "\n";
  }
  if (graph.constants > 0) {
    std::cout << "  " << Count(graph.constants, "constant") << ", " << Bytes(graph.constant_bytes)
              << "\n";
  }
  if (!graph.collections.empty()) std::cout << "  collections: " << Collections(graph, all) << "\n";
  for (const auto& [key, signature] : graph.signatures) PrintSignature(key, signature);
}

nlohmann::json ToJson(const GraphSummary& graph) {
  auto cannot_run = nlohmann::json::array();
  for (const GraphSummary::Missing& missing : graph.cannot_run) {
    cannot_run.push_back(
        {{"op", missing.op}, {"reason", missing.reason}, {"nodes", missing.nodes}});
  }
  auto signatures = nlohmann::json::object();
  for (const auto& [key, signature] : graph.signatures) {
    signatures[key] = {{"method", signature.method_name},
                       {"inputs", TensorsJson(signature.inputs)},
                       {"outputs", TensorsJson(signature.outputs)}};
  }
  return {{"ops", graph.ops},
          {"runs_here", graph.cannot_run.empty()},
          {"cannot_run", cannot_run},
          {"inputs", EndsJson(graph.inputs)},
          {"outputs", EndsJson(graph.outputs)},
          {"op_types", graph.op_types},
          {"variables", VariablesJson(graph)},
          {"variable_bytes", graph.variable_bytes},
          {"constants", graph.constants},
          {"constant_bytes", graph.constant_bytes},
          {"collections", graph.collections},
          {"signatures", signatures},
          {"tags", graph.tags},
          {"producer", graph.producer},
          {"min_consumer", graph.min_consumer},
          {"tensorflow_version", graph.tensorflow_version}};
}

}  // namespace cli
