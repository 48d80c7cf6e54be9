#pragma once

#include <functional>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/edit/patch.h"

namespace ramet {

struct RerouteOptions {
  // If set: only operations that it says true of change what they read.
  std::function<bool(const Operation&)> can_modify = {};
};

// Puts into `patch` that what reads to_be_left[i] reads instead[i]. The readers are those that the
// graph has, without what the patch holds already. Returns how many inputs change.
// \error kInvalidArgument if the sizes differ; what else does not fit, Apply says.
RAMET_EXPORT StatusOr<int> Reroute(GraphPatch& patch, const std::vector<Output>& instead,
                                   const std::vector<Output>& to_be_left,
                                   const RerouteOptions& options = {});

// Puts into `patch` that the readers of a[i] and b[i] exchange what they read; see Reroute.
RAMET_EXPORT StatusOr<int> SwapReaders(GraphPatch& patch, const std::vector<Output>& a,
                                       const std::vector<Output>& b,
                                       const RerouteOptions& options = {});

}  // namespace ramet
