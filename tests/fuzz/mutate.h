#pragma once

#include "ramet/proto/graph.pb.h"
#include "random.h"

namespace ramet::fuzz {

// Changes the graph in one place, as nobody who writes graphs would: other inputs, cycles, missing
// and doubled nodes, other ops, attrs and constants, broken functions.
void Mutate(Random& random, GraphDef* def);

}  // namespace ramet::fuzz
