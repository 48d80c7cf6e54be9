#pragma once

#include <string>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Options for writing a graph as a GraphDef.
struct GraphDefOptions {
  // Adds _output_shapes to nodes that have outputs, as meta graphs do.
  bool add_shapes = false;
  // Omits attrs that have their default value.
  bool strip_default_attrs = false;
  bool clear_devices = false;
  bool as_text = false;
};

// Returns the graph as a serialized GraphDef (tf.Graph.as_graph_def): nodes in creation order,
// inputs as "n" (output 0), "n:k" and "^n" (control), versions, function library, and everything
// else that an import kept. Locks the graph for reading.
// \error kInvalidArgument: a constant is not in host memory. Names the node.
// \error kResourceExhausted: the result would reach 2 GiB.
RAMET_EXPORT StatusOr<std::string> ExportGraphDef(const Graph& graph,
                                                  const GraphDefOptions& options = {});
// Returns one node as a serialized NodeDef (tf.Operation.node_def). Errors are those of
// ExportGraphDef.
RAMET_EXPORT StatusOr<std::string> ExportNodeDef(const Operation& operation);
// Returns an op's definition as a serialized OpDef with documentation (tf.Operation.op_def).
// \error kInvalidArgument: a default value has no proto form.
RAMET_EXPORT StatusOr<std::string> ExportOpDef(const Op& op);
// Writes the result of ExportGraphDef to a file, which is replaced atomically. Also returns the
// errors of AtomicWriteFile.
RAMET_EXPORT Status ExportGraphDefFile(const Graph& graph, const std::string& path,
                                       const GraphDefOptions& options = {});

}  // namespace ramet
