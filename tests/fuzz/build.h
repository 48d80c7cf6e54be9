#pragma once

#include <memory>

#include "ramet/graph/graph.h"
#include "ramet/proto/graph.pb.h"
#include "ramet/runtime/session.h"

namespace ramet::fuzz {

// Puts the nodes into the graph one by one, as a program does, in the order of the message.
// \error as Graph::AddNode; kInvalidArgument for inputs that are not there yet.
Status BuildNodeByNode(const GraphDef& def, Graph* graph);

// Returns the feeds of the graph's placeholders: kFedValue, with the bytes that kTrueByte asks for.
Feeds FeedsOf(const Graph& graph);

}  // namespace ramet::fuzz
