#pragma once

#include <string>

#include "progress.h"
#include "ramet/base/status.h"
#include "ramet/proto/meta_graph.pb.h"
#include "random.h"

namespace ramet::fuzz {

// Exercises a graph in every way that programs and tools do: builds it (by import or node by node),
// inspects, runs, differentiates, clones, exports, reimports and freezes it. Errors are fine.
// Findings are values that do not have the declared dtype and shape, and exports that cannot be
// imported. Placeholders are fed the values that they hold (kFedValue).
//
// A MetaGraphDef that holds only a graph is imported as a GraphDef.
void Exercise(const MetaGraphDef& graph, Random& random, Progress& progress);

// Returns the message as text: only the GraphDef if there is nothing else.
std::string TextOf(const MetaGraphDef& graph);

}  // namespace ramet::fuzz
