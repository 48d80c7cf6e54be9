#pragma once

#include "ramet/graph_def/import_nodes.h"

namespace ramet {

// Infers the shapes of the outputs of all nodes and combines them with the file's _output_shapes.
// \error kInvalidArgument: shape inference fails, or `validate` is true and a node's _output_shapes
//   contradict the inferred shapes. Names the node.
Status InferImportedShapes(ImportNodes& nodes, bool validate);

}  // namespace ramet
