#include "ramet/freeze/freeze.h"

#include <google/protobuf/arena.h>

#include "ramet/freeze/extract_sub_graph.h"
#include "ramet/freeze/freeze_variables.h"
#include "ramet/freeze/remove_training_nodes.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using google::protobuf::Arena;

// Runs `make` (GraphDef in, GraphDef out) on bytes.
template <class Make>
StatusOr<std::string> Transform(std::string_view graph_def, Make make) {
  Arena arena;
  auto* def = Arena::CreateMessage<GraphDef>(&arena);
  auto* made = Arena::CreateMessage<GraphDef>(&arena);
  RAMET_RETURN_IF_ERROR(ParseMessage(graph_def, "GraphDef", def));
  RAMET_RETURN_IF_ERROR(make(*def, made));
  return MessageToBytes(*made, false);
}

}  // namespace

StatusOr<std::string> ExtractSubGraph(std::string_view graph_def,
                                      const std::vector<std::string>& nodes) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* part) {
    return ExtractSubGraphProto(def, nodes, part);
  });
}

StatusOr<std::string> RemoveTrainingNodes(std::string_view graph_def,
                                          const std::vector<std::string>& protected_nodes,
                                          bool as_tensorflow) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* part) {
    return RemoveTrainingNodesProto(def, protected_nodes, as_tensorflow, part);
  });
}

StatusOr<std::string> ReplaceVariables(std::string_view graph_def,
                                       const std::map<std::string, Tensor>& values) {
  return Transform(graph_def, [&](const GraphDef& def, GraphDef* frozen) {
    *frozen = def;
    return ReplaceVariablesProto(values, frozen);
  });
}

}  // namespace ramet
