#pragma once

#include <unordered_set>

#include "ramet/edit/clone/selection.h"

namespace ramet {

// Functions that examine loops which the boundary of a clone divides. The caller holds the lock of
// the source.

// Returns the Enters of frames whose loop is not part of the clone.
std::unordered_set<NodeId> FindOpenEnters(const CloneSelection& selection);
// \error kInvalidArgument: a tensor at which the clone is cut off lies inside a loop that is cloned.
Status CheckCutsInLoops(const CloneSelection& selection);

}  // namespace ramet
