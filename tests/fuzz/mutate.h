#pragma once

#include "ramet/proto/graph.pb.h"
#include "random.h"

namespace ramet::fuzz {

// Breaks the graph in one place: wrong inputs, cycles, missing and duplicate nodes, wrong ops,
// attrs and constants, broken functions.
void Mutate(Random& random, GraphDef* def);

}  // namespace ramet::fuzz
