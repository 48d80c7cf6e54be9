#pragma once

#include "ramet/graph/freeze.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// Reports whether a session holds the value of a node: Variable, VariableV2, VarHandleOp.
bool IsVariableNode(const NodeDef& node);

// The functions of freeze.h on parsed messages, with the same errors. `*part` is overwritten.
Status ExtractSubGraphProto(const GraphDef& def, const std::vector<std::string>& nodes,
                            GraphDef* part);
Status RemoveTrainingNodesProto(const GraphDef& def,
                                const std::vector<std::string>& protected_nodes, bool as_tensorflow,
                                GraphDef* part);
Status ReplaceVariablesProto(const std::map<std::string, Tensor>& values, GraphDef* def);

}  // namespace ramet
