#include "ramet/saved_model/convert_variables.h"

#include <google/protobuf/arena.h>

#include <algorithm>

#include "ramet/freeze/extract_sub_graph.h"
#include "ramet/freeze/freeze_variables.h"
#include "ramet/graph_def/graph_def.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

using google::protobuf::Arena;

bool Converts(const ConvertVariablesOptions& options, const std::string& name) {
  if (options.allow && std::ranges::find(*options.allow, name) == options.allow->end()) {
    return false;
  }
  return std::ranges::find(options.deny, name) == options.deny.end();
}

// Returns the tensor with the variable's value. For a resource this is the output of a
// ReadVariableOp, preferably the one that TensorFlow adds.
StatusOr<Output> ValueTensor(const Graph& graph, const NodeDef& node) {
  if (node.op() != "VarHandleOp") return graph.Tensor(StrCat(node.name(), ":0"));
  auto read = graph.FindOperation(StrCat(node.name(), "/Read/ReadVariableOp"));
  if (read.ok() && read->num_outputs() == 1) return read->output(0);
  for (const Operation& op : graph.operations()) {
    if (op.type() == "ReadVariableOp" && op.num_inputs() == 1 &&
        op.input(0).op().name() == node.name()) {
      return op.output(0);
    }
  }
  return NotFound("The graph has no ReadVariableOp of variable '", node.name(),
                  "', so its value cannot be read");
}

StatusOr<std::map<std::string, Tensor>> ReadValues(Session& session, const GraphDef& def,
                                                   const ConvertVariablesOptions& options) {
  std::vector<std::string> names;
  std::vector<GraphElement> fetches;
  for (const NodeDef& node : def.node()) {
    if (!IsVariableNode(node) || !Converts(options, node.name())) continue;
    RAMET_ASSIGN_OR_RETURN(Output value, ValueTensor(session.graph(), node));
    names.push_back(node.name());
    fetches.push_back(value);
  }
  std::map<std::string, Tensor> values;
  if (names.empty()) return values;
  RAMET_ASSIGN_OR_RETURN(std::vector<Tensor> got, session.Run(Fetches(std::move(fetches))));
  for (size_t i = 0; i < names.size(); ++i) values.emplace(names[i], got[i]);
  return values;
}

}  // namespace

StatusOr<std::string> ConvertVariablesToConstants(Session& session,
                                                  const std::vector<std::string>& output_node_names,
                                                  const ConvertVariablesOptions& options) {
  RAMET_ASSIGN_OR_RETURN(std::string graph_def, ExportGraphDef(session.graph()));
  return ConvertVariablesToConstants(session, graph_def, output_node_names, options);
}

StatusOr<std::string> ConvertVariablesToConstants(Session& session, std::string_view graph_def,
                                                  const std::vector<std::string>& output_node_names,
                                                  const ConvertVariablesOptions& options) {
  Arena arena;
  auto* whole = Arena::CreateMessage<GraphDef>(&arena);
  auto* part = Arena::CreateMessage<GraphDef>(&arena);
  RAMET_RETURN_IF_ERROR(ParseMessage(graph_def, "GraphDef", whole));
  RAMET_RETURN_IF_ERROR(ExtractSubGraphProto(*whole, output_node_names, part));
  RAMET_ASSIGN_OR_RETURN(auto values, ReadValues(session, *part, options));
  RAMET_RETURN_IF_ERROR(ReplaceVariablesProto(values, part));
  return MessageToBytes(*part, false);
}

}  // namespace ramet
