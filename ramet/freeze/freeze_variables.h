#pragma once

#include <map>
#include <string>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// Reports whether a session holds the value of a node: Variable, VariableV2, VarHandleOp.
bool IsVariableNode(const NodeDef& node);

// ReplaceVariables (freeze.h) on a parsed message, with the same errors.
Status ReplaceVariablesProto(const std::map<std::string, Tensor>& values, GraphDef* def);

}  // namespace ramet
