#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"

// What freezing does with single nodes, of a graph or of a function.
namespace ramet::freeze {

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> ops);
// Hands its first data input on, and takes its dtype from it.
bool PassesOn(const std::string& op);
bool CallsFunctions(const NodeDef& node);
void CopyAttr(const NodeDef& from, const char* name, const char* as, NodeDef* to);
// Makes `*node` another one with the same name; its inputs are kept up to `num_inputs`. Returns
// what it was.
NodeDef Restart(const char* op, int num_inputs, NodeDef* node);
// Makes a node that reads a handle one that takes the value; others stay. `*axis` becomes a node
// that is to be added, the last input of this one; it has no name if there is none.
// \error kInvalidArgument if it is a ResourceGather with batch_dims.
Status MakeReader(NodeDef* node, NodeDef* axis);

}  // namespace ramet::freeze
