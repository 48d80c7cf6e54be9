#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

// Functions from GraphDef (binary or text) to GraphDef (binary) that prepare a trained graph for
// inference (tf.graph_util). Pure and thread-safe.
namespace ramet {

// Returns the nodes that `nodes` need through data, control and colocation ("loc:@") references, in
// file order, with library and versions (tf.graph_util.extract_sub_graph).
// \error kNotFound: "zz is not in graph".
// \error kInvalidArgument: a kept node refers to a missing one.
// \error kDataLoss: the bytes are not a GraphDef.
RAMET_EXPORT StatusOr<std::string> ExtractSubGraph(std::string_view graph_def,
                                                   const std::vector<std::string>& nodes);

// Returns the graph without CheckNumerics nodes, and without those Identity and StopGradient nodes
// that have no control edges and lead no colocation group. `protected_nodes` are kept
// (tf.graph_util.remove_training_nodes). By default, the result equals TensorFlow's: it has only
// nodes, no versions and no library, and readers of a CheckNumerics lose that input. If
// `as_tensorflow` is false, versions and library are kept, and a CheckNumerics that is read is
// spliced out like an Identity.
// \error kInvalidArgument: the nodes to remove form a cycle or lack an input.
// \error kDataLoss: the bytes are not a GraphDef.
RAMET_EXPORT StatusOr<std::string> RemoveTrainingNodes(
    std::string_view graph_def, const std::vector<std::string>& protected_nodes = {},
    bool as_tensorflow = true);

// Returns the graph with the variables named by `values` turned into constants. Variable,
// VariableV2 and VarHandleOp become Const, ReadVariableOp becomes Identity, and ResourceGather and
// ResourceGatherNd become GatherV2 and GatherNd. This includes functions that take the handle;
// their calls get copies of them. Identity, Enter, Exit, NextIteration and Switch nodes in between
// carry the value's dtype.
// \error kNotFound: a name is not a variable of the graph.
// \error kInvalidArgument: a ResourceGather has batch_dims.
// \error kUnimplemented: a variable's handle is passed to a function in a list argument, or by an
//   op other than PartitionedCall, If, Case, While and their variants. Names the node.
// \error kDataLoss: the bytes are not a GraphDef.
RAMET_EXPORT StatusOr<std::string> ReplaceVariables(std::string_view graph_def,
                                                    const std::map<std::string, Tensor>& values);

}  // namespace ramet
