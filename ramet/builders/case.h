#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/builders/control_flow.h"

namespace ramet {

// A branch of Case: a computation, and the bool scalar under which it applies.
struct CaseBranch {
  Output pred;
  std::function<Outputs()> branch;
};
struct CondCaseOptions {
  bool exclusive = false;  // if true, runs fail if more than one pred is true
  std::string_view name = "case";
};
// Returns the result of the first branch whose `pred` is true, or of `otherwise` if none is
// (tf.case), as nested Conds. Without `otherwise`, a run fails (kInvalidArgument) if no `pred` is
// true.
//
// On an error, which the graph keeps (like Cond; kInvalidArgument if there are no branches), there
// are no outputs, or invalid ones.
RAMET_EXPORT Outputs Case(Scope& scope, const std::vector<CaseBranch>& branches,
                          const std::function<Outputs()>& otherwise = nullptr,
                          const CondCaseOptions& options = {});

}  // namespace ramet
