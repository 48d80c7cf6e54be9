#pragma once

#include <vector>

#include "ramet/graph/graph_data.h"

namespace ramet {

// A tensor of which the shape or the value is not the one with which its readers were inferred.
struct ChangedTensor {
  Endpoint tensor;
  bool refined;  // everything that was known before is still true
};

// Reports whether shape functions may depend on the value of an output: it can be a shape, an axis,
// a size, or the handle of something that has a shape.
bool MayHoldShape(const OutputRecord& output);

// Infers the output shapes of nodes from `first` on again, as far as they depend on the changed
// tensors. If these are refined, shapes that were set and are compatible stay. Takes time in
// proportion to the nodes from `first` on. The caller holds the graph's lock for writing.
// \error kInvalidArgument: the shape function of an op rejects the inputs. Names the node. Some
//   shapes may have changed.
Status InferShapesAgain(Graph& graph, NodeId first, const std::vector<ChangedTensor>& changed);

}  // namespace ramet
