#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"

// Freezing of single nodes of a graph or a function.
namespace ramet::freeze {

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> ops);
// Reports whether an op passes on its first data input and takes its dtype from it.
bool PassesOn(const std::string& op);
bool CallsFunctions(const NodeDef& node);
void CopyAttr(const NodeDef& from, const char* name, const char* as, NodeDef* to);
// Turns `*node` into a node of op `op` with the same name and its first `num_inputs` inputs.
// Returns the original.
NodeDef Restart(const char* op, int num_inputs, NodeDef* node);
// Turns a node that reads a handle into one that takes the value; leaves other nodes unchanged. If
// a new node is needed as the last input of this one, `*axis` becomes that node, to be added by the
// caller; otherwise its name is empty.
// \error kInvalidArgument: the node is a ResourceGather with batch_dims.
Status MakeReader(NodeDef* node, NodeDef* axis);

}  // namespace ramet::freeze
