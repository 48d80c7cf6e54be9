#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

// Functions from GraphDef to GraphDef (binary or text form in, binary out) that make a trained
// graph fit for inference: tf.graph_util; spec: graph-semantics 13. Pure; any thread.
namespace ramet {

// The nodes that `nodes` need through data, control and colocation ("loc:@") references, in the
// order of the file, with library and versions (tf.graph_util.extract_sub_graph).
// \error kNotFound "zz is not in graph"; kInvalidArgument if a node that is kept names one that is
//   not there; kDataLoss if the bytes are no GraphDef.
RAMET_EXPORT StatusOr<std::string> ExtractSubGraph(std::string_view graph_def,
                                                   const std::vector<std::string>& nodes);

// The graph without CheckNumerics nodes, and with Identity and StopGradient nodes that have no
// control edges and that no colocation names spliced out; `protected_nodes` stay
// (tf.graph_util.remove_training_nodes). As in TensorFlow, the result has nodes only, no versions
// and no library, and what reads a CheckNumerics is left without that input. With `as_tensorflow`
// false, versions and library stay, and a CheckNumerics that is read is spliced out as an Identity
// is. \error kInvalidArgument if such nodes form a cycle or lack an input; kDataLoss.
RAMET_EXPORT StatusOr<std::string> RemoveTrainingNodes(
    std::string_view graph_def, const std::vector<std::string>& protected_nodes = {},
    bool as_tensorflow = true);

// The graph with the variables named by `values` as constants: Variable, VariableV2 and VarHandleOp
// become Const, a ReadVariableOp an Identity, ResourceGather and ResourceGatherNd become GatherV2
// and GatherNd, in functions that take the handle too, of which the calls get copies; Identity,
// Enter, Exit, NextIteration and Switch on the way carry the value's dtype. \error kNotFound if a
// name is no variable of the graph; kInvalidArgument if a ResourceGather has
//   batch_dims; kUnimplemented naming the node if a variable's handle goes into a function over a
//   list argument or by another op than PartitionedCall, If, Case, While and their likes;
//   kDataLoss.
RAMET_EXPORT StatusOr<std::string> ReplaceVariables(std::string_view graph_def,
                                                    const std::map<std::string, Tensor>& values);

}  // namespace ramet
