#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// What differs in the copy of one node.
struct OperationCopy {
  std::string name = {};  // made unique in the graph whatever scope is open; "": the source's name
  std::vector<Output> inputs = {};  // as many as the source has
  std::vector<Operation> control_inputs = {};
  std::optional<std::string> device = {};  // the source's if not given
};

// Adds a copy of `source` to `graph`, which may be its own or another one: the same op with the
// same attrs, whatever scopes are open. Shapes are inferred from the new inputs. Of a loop's Merge,
// the second input stands in for what the loop makes later; its output has no dimension that the
// source's has not.
// \error kInvalidArgument naming the copy as Graph::AddNode has it; kNotFound if the op is a
//   function that the other graph does not have; kFailedPrecondition if the graph is finalized.
RAMET_EXPORT StatusOr<Operation> CopyOperation(const Operation& source, Graph& graph,
                                               OperationCopy copy);

}  // namespace ramet
