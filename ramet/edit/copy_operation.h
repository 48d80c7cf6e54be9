#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The differences between a node and its copy.
struct OperationCopy {
  std::string name = {};            // made unique, ignoring open scopes; "" means the source's name
  std::vector<Output> inputs = {};  // as many as the source has
  std::vector<Operation> control_inputs = {};
  std::optional<std::string> device = {};  // default: the source's
};

// Adds a copy of `source` to `graph`, which may be the source's own graph or a different one, with
// the same op and attrs, ignoring open scopes. Shapes are inferred from the new inputs. For a
// loop's Merge, the second input is a stand-in for the value that the loop computes later; the
// output's static shape has only dimensions that the source's has.
//
// Also returns the errors of Graph::AddNode, which name the copy.
// \error kInvalidArgument: see Graph::AddNode.
// \error kNotFound: the op is a function that a different target graph does not have.
// \error kFailedPrecondition: the graph is finalized.
RAMET_EXPORT StatusOr<Operation> CopyOperation(const Operation& source, Graph& graph,
                                               OperationCopy copy);

}  // namespace ramet
