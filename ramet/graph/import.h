#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// How a GraphDef is put into a graph (tf.import_graph_def; spec: graph-semantics 10).
struct ImportOptions {
  // The name scope in front of all names: "x" is made unique under the current name scope, "x/" is
  // taken as it is from the root, "" is no prefix.
  std::string name = "import";
  // Tensors of this graph that stand in for tensors of the file: keys "n", "n:k", and "^n" for a
  // control input (the output's operation counts). The node n itself is still imported.
  std::map<std::string, Output> input_map = {};
  // What ImportResults::return_elements shall hold: "n:k" a tensor, "n" an operation.
  std::vector<std::string> return_elements = {};
  bool clear_devices = false;
  // Refuse nodes whose _output_shapes contradict what Ramet infers; false: such attrs are ignored.
  bool validate_shapes = true;
  // A serialised OpList with the definitions that the writer of the file had. It defines ops that
  // are not known here; attrs that are not known here and hold the default of this list are
  // dropped.
  std::string producer_op_list = {};
};

struct ImportResults {
  // The prefix that the nodes have got, without the slash; "" for none.
  std::string prefix = {};
  // The new operations in the order of their ids: inputs first (but for loops), else as in the
  // file.
  std::vector<Operation> operations = {};
  // In the order asked for. Elements that input_map replaces are the replacement.
  std::vector<std::variant<Output, Operation>> return_elements = {};
};

// Adds the nodes of a GraphDef (binary or text form) to `graph`: all of them, or on an error none.
// Inputs may name nodes that come later; a node is created after its inputs, as in TensorFlow, but
// where a NextIteration closes a loop. Names that are taken are made unique ("a_1"), inputs and
// colocations ("loc:@a") follow. Attrs that are absent take their defaults; _output_shapes refine
// the inferred shapes. Open device scopes apply under a node's own device; a colocated node takes
// the device of its group. The graph's versions become the smallest producer and the largest
// min_consumer; functions of the library are added.
//
// Ops that Ramet does not know are held by the definition in producer_op_list or the library, or
// else with the inputs and outputs that the file's nodes use; they can be exported and edited, not
// run.
//
// Locks the graph. \error kInvalidArgument naming the node: an illegal or repeated name, an unknown
//   input, an output that its node does not have, a control input before a data input, a data or
//   control cycle, an unknown colocation, an attr that is missing or wrong, a wrong number of
//   inputs or a dtype that does not fit, a shape that inference refuses; also: an entry of
//   input_map or return_elements that the file does not have, a version that asks for another
//   reader. kDataLoss if the bytes are neither form of a GraphDef; kFailedPrecondition if the graph
//   is finalized; kResourceExhausted if constants would take far more memory than the file.
RAMET_EXPORT StatusOr<ImportResults> ImportGraphDef(Graph& graph, std::string_view graph_def,
                                                    const ImportOptions& options = {});
// The same for a file. \error besides: kNotFound "File X does not exist."
RAMET_EXPORT StatusOr<ImportResults> ImportGraphDefFile(Graph& graph, const std::string& path,
                                                        const ImportOptions& options = {});

}  // namespace ramet
