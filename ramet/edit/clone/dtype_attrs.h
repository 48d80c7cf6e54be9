#pragma once

#include <memory>

#include "ramet/edit/clone_options.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// Returns the node's attrs with the dtypes of `rule` changed as far as its op allows, and the value
// of a constant converted; the node's own attrs if nothing changes. Errors are those of
// ConvertFloating.
StatusOr<std::shared_ptr<const AttrMap>> ChangeDtypes(const NodeRecord& node,
                                                      const CloneDtype::Map& rule);

}  // namespace ramet
