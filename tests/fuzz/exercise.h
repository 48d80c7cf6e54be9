#pragma once

#include <string>

#include "progress.h"
#include "ramet/base/status.h"
#include "ramet/proto/meta_graph.pb.h"
#include "random.h"

namespace ramet::fuzz {

// Puts a graph through everything that a program or a tool can do with it: builds it (as an import,
// or node by node), looks at it, runs it, differentiates, clones, exports and imports it again,
// freezes it. Errors are fine; findings are values that are not of the announced dtype and shape,
// and exports that cannot be imported. Placeholders are fed what they hold (kFedValue).
//
// A MetaGraphDef that holds only a graph is imported as a GraphDef.
void Exercise(const MetaGraphDef& graph, Random& random, Progress& progress);

// Returns the message as text: that of the GraphDef if there is only a graph.
std::string TextOf(const MetaGraphDef& graph);

}  // namespace ramet::fuzz
