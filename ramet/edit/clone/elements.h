#pragma once

#include "ramet/edit/clone_options.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// Functions that find the elements that the arguments of Clone name. They lock the source during
// the call. Errors name `argument`:
// \error kNotFound: the source has no element of that name.
// \error kInvalidArgument: the element is an invalid handle or belongs to a different graph.

// Returns the operation, that of a tensor, or that of a variable.
StatusOr<NodeId> ResolveOperation(const Graph& source, const GraphElement& element,
                                  const char* argument);
// Returns the tensor, the value of a variable, or the only output of an operation.
// \error kInvalidArgument: the operation does not have exactly one output.
StatusOr<Endpoint> ResolveTensor(const Graph& source, const GraphElement& element,
                                 const char* argument);
// Reports whether the element is a tensor or a variable, not an operation.
bool IsTensorElement(const GraphElement& element);

}  // namespace ramet
