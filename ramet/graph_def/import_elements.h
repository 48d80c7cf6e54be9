#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ramet/graph_def/import_nodes.h"

// The elements of a file that the caller of an import names.
namespace ramet {

// Checks that every key of the input map is a tensor or a node of the file, or was used.
// \error kInvalidArgument: it is neither. TensorFlow's wording.
Status CheckRemapKeys(const ImportNodes& nodes, const InputRemap& remap);

// Returns the elements of ImportOptions::return_elements. An element that `remap` replaces is the
// replacement.
// \error kInvalidArgument: an element is not in the file.
StatusOr<std::vector<std::variant<Output, Operation>>> ReturnElements(
    Graph& graph, const ImportNodes& nodes, const std::vector<std::string>& elements,
    InputRemap* remap);

}  // namespace ramet
