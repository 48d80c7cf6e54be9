#pragma once

#include <memory>

#include "ramet/graph/graph.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/runtime/session.h"

namespace ramet::fuzz {

// Adds the nodes to the graph one by one, as a program does, in the order of the message.
// \error kInvalidArgument: an input does not exist yet.
// \error as for Graph::AddNode.
Status BuildNodeByNode(const GraphDef& def, Graph* graph);
// Adds only the nodes from `first` on. The nodes before them are already in the graph.
Status BuildNodesFrom(const GraphDef& def, int first, Graph* graph);

// Returns the feeds of the graph's placeholders: kFedValue, with bools as specified by kTrueByte.
Feeds FeedsOf(const Graph& graph);

}  // namespace ramet::fuzz
