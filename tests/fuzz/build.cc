#include "build.h"

#include "draft.h"
#include "ramet/graph/device_name.h"
#include "ramet/graph_def/import.h"
#include "ramet/wire/attr_proto.h"

namespace ramet::fuzz {
namespace {

StatusOr<NodeSpec> SpecOf(const NodeDef& node, const Graph& graph, AttrBudget* budget) {
  NodeSpec spec;
  spec.op = node.op();
  spec.name = node.name();
  spec.device = node.device();
  if (!spec.device.empty()) {  // a program's device scope checks it
    RAMET_RETURN_IF_ERROR(DeviceName::Parse(spec.device).status());
  }
  for (const std::string& input : node.input()) {
    if (!input.empty() && input[0] == '^') {
      RAMET_ASSIGN_OR_RETURN(spec.control_inputs.emplace_back(),
                             graph.FindOperation(input.substr(1)));
      continue;
    }
    const bool whole = input.find(':') != std::string::npos;
    RAMET_ASSIGN_OR_RETURN(spec.inputs.emplace_back(), graph.Tensor(whole ? input : input + ":0"));
  }
  RAMET_ASSIGN_OR_RETURN(spec.attrs, AttrMapFromProto(node.attr(), budget));
  return spec;
}

}  // namespace

Status BuildNodeByNode(const GraphDef& def, Graph* graph) {
  if (def.has_library()) {
    GraphDef library;
    *library.mutable_library() = def.library();
    RAMET_RETURN_IF_ERROR(
        ImportGraphDef(*graph, library.SerializeAsString(), {.name = ""}).status());
  }
  return BuildNodesFrom(def, 0, graph);
}

Status BuildNodesFrom(const GraphDef& def, int first, Graph* graph) {
  if (def.has_versions()) graph->versions().producer = def.versions().producer();
  AttrBudget budget;
  for (int i = first; i < def.node_size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(NodeSpec spec, SpecOf(def.node(i), *graph, &budget));
    RAMET_RETURN_IF_ERROR(graph->AddNode(std::move(spec)).status());
  }
  return OkStatus();
}

Feeds FeedsOf(const Graph& graph) {
  Feeds feeds;
  for (const Operation& op : graph.operations()) {
    if (op.type() != "Placeholder") continue;
    auto value = op.attr<Tensor>(kFedValue);
    if (!value.ok() || value->dtype() != op.output(0).dtype()) continue;
    const int64_t byte = op.attrs()->GetOr<int64_t>(kTrueByte, 1);
    if (value->dtype() == kBool && byte != 1) {
      auto copy = value->DeepCopy();
      if (!copy.ok()) continue;
      auto* bytes = static_cast<uint8_t*>(copy->raw_data());
      for (int64_t i = 0; i < copy->num_elements(); ++i) bytes[i] *= static_cast<uint8_t>(byte);
      value = *std::move(copy);
    }
    feeds.push_back({op.output(0), *std::move(value)});
  }
  return feeds;
}

}  // namespace ramet::fuzz
