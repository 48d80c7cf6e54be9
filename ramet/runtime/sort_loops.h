#pragma once

#include "ramet/runtime/loop_frames.h"

namespace ramet {

// Sorts the units of the run and of each loop, in which a loop is one unit, and puts order->nodes
// in the order of the units.
// \error kInvalidArgument: a loop needs a value that depends on its own result, or its nodes are in
//   a cycle.
Status SortLoops(const PrunedGraph& graph, const LoopFrames& frames, RunOrder* order);

}  // namespace ramet
