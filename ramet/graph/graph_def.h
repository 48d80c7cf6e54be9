#pragma once

#include <string>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// How a graph is written as a GraphDef.
struct GraphDefOptions {
  // Adds _output_shapes to nodes that have outputs, as meta graphs hold them.
  bool add_shapes = false;
  // Leaves out attrs that have the value that the op's definition gives them anyway.
  bool strip_default_attrs = false;
  bool clear_devices = false;
  bool as_text = false;
};

// The graph as a serialised GraphDef (tf.Graph.as_graph_def): nodes in the order of creation,
// inputs as "n" (output 0), "n:k", "^n" (control), versions, function library and what else import
// kept. Locks the graph for reading. \error kInvalidArgument naming the node if a constant is not
// in host
//   memory; kResourceExhausted if the bytes would reach 2 GiB.
RAMET_EXPORT StatusOr<std::string> ExportGraphDef(const Graph& graph,
                                                  const GraphDefOptions& options = {});
// One node of it, as a serialised NodeDef (tf.Operation.node_def). \error as ExportGraphDef.
RAMET_EXPORT StatusOr<std::string> ExportNodeDef(const Operation& operation);
// The definition of its op, as a serialised OpDef with the documentation (tf.Operation.op_def).
// \error kInvalidArgument if a default value has no proto form.
RAMET_EXPORT StatusOr<std::string> ExportOpDef(const Op& op);
// The same into a file, which is replaced in one step. \error besides: those of AtomicWriteFile.
RAMET_EXPORT Status ExportGraphDefFile(const Graph& graph, const std::string& path,
                                       const GraphDefOptions& options = {});

}  // namespace ramet
