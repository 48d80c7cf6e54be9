#pragma once

#include "ramet/graph/freeze.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// A node whose value a session holds: Variable, VariableV2, VarHandleOp.
bool IsVariableNode(const NodeDef& node);

// The functions of freeze.h on parsed messages. `*part` is written over. \error as there.
Status ExtractSubGraphProto(const GraphDef& def, const std::vector<std::string>& nodes,
                            GraphDef* part);
Status RemoveTrainingNodesProto(const GraphDef& def,
                                const std::vector<std::string>& protected_nodes, bool as_tensorflow,
                                GraphDef* part);
Status ReplaceVariablesProto(const std::map<std::string, Tensor>& values, GraphDef* def);

}  // namespace ramet
