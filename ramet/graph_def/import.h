#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Options for importing a GraphDef (tf.import_graph_def).
struct ImportOptions {
  // The name scope that prefixes all names. "x" is made unique under the current name scope, "x/"
  // is taken literally from the root, "" means no prefix.
  std::string name = "import";
  // Tensors of this graph that replace tensors of the file. Keys are "n", "n:k", and "^n" for a
  // control input, which uses the output's operation. The node n itself is still imported.
  std::map<std::string, Output> input_map = {};
  // The elements to return in ImportResults::return_elements: "n:k" is a tensor, "n" an operation.
  std::vector<std::string> return_elements = {};
  bool clear_devices = false;
  // If true, nodes whose _output_shapes contradict the shapes that Ramet infers are rejected. If
  // false, contradicting _output_shapes are ignored.
  bool validate_shapes = true;
  // A serialized OpList with the definitions that the writer of the file had. It defines ops that
  // are unknown here. Attrs that are unknown here and have the default of this list are dropped.
  std::string producer_op_list = {};
};

struct ImportResults {
  // The prefix of the new nodes without the slash; "" if there is none.
  std::string prefix = {};
  // The new operations in id order: inputs come first (except in loops), otherwise in file order.
  std::vector<Operation> operations = {};
  // In the requested order. Elements that input_map replaces are the replacement.
  std::vector<std::variant<Output, Operation>> return_elements = {};
};

// Adds the nodes of a GraphDef (binary or text form) to `graph`: all of them or, on an error, none.
// Inputs may name nodes that come later in the file. Nodes are created after their inputs, as in
// TensorFlow, except where a NextIteration closes a loop. Names that are taken are made unique
// ("a_1"), and inputs and colocations ("loc:@a") are renamed with them. Missing attrs take their
// defaults; _output_shapes refine the inferred shapes. Open device scopes apply below a node's own
// device; a colocated node takes the device of its group. The graph's versions become the smallest
// producer and the largest min_consumer. Functions of the file's library are added.
//
// Ops that Ramet does not know take their definition from producer_op_list or the library, or else
// the inputs and outputs that the nodes of the file use. They can be exported and edited but not
// run.
//
// Locks the graph. Errors about a node name it.
// \error kInvalidArgument: a name is illegal or repeated, or an attr is missing or wrong.
// \error kInvalidArgument: an input or colocation is unknown, or an input's node lacks that output.
// \error kInvalidArgument: a control input precedes a data input, or there is a cycle.
// \error kInvalidArgument: the number or dtypes of inputs do not match, or shape inference fails.
// \error kInvalidArgument: an entry of input_map or return_elements is not in the file.
// \error kInvalidArgument: the file's version requires a different reader.
// \error kDataLoss: the bytes are neither form of a GraphDef.
// \error kFailedPrecondition: the graph is finalized.
// \error kResourceExhausted: constants would take far more memory than the file.
RAMET_EXPORT StatusOr<ImportResults> ImportGraphDef(Graph& graph, std::string_view graph_def,
                                                    const ImportOptions& options = {});
// Imports a file.
// \error kNotFound: "File X does not exist."
RAMET_EXPORT StatusOr<ImportResults> ImportGraphDefFile(Graph& graph, const std::string& path,
                                                        const ImportOptions& options = {});

}  // namespace ramet
