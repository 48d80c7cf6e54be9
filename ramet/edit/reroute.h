#pragma once

#include <functional>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/edit/patch.h"

namespace ramet {

struct RerouteOptions {
  // If set, only operations for which it is true change their inputs.
  std::function<bool(const Operation&)> can_modify = {};
};

// Adds changes to `patch` so that readers of to_be_left[i] read instead[i]. The readers are those
// in the graph; changes already in the patch are ignored. Returns the number of inputs that change.
// Apply reports all other errors.
// \error kInvalidArgument: the sizes differ.
RAMET_EXPORT StatusOr<int> Reroute(GraphPatch& patch, const std::vector<Output>& instead,
                                   const std::vector<Output>& to_be_left,
                                   const RerouteOptions& options = {});

// Adds changes to `patch` so that the readers of a[i] read b[i], and vice versa; see Reroute.
RAMET_EXPORT StatusOr<int> SwapReaders(GraphPatch& patch, const std::vector<Output>& a,
                                       const std::vector<Output>& b,
                                       const RerouteOptions& options = {});

}  // namespace ramet
