#pragma once

#include <string>
#include <string_view>

#include "ramet/graph/graph_data.h"

// Changes to a graph's contents in place, for edits that cannot afford a call per node. The
// caller holds the graph's lock for writing and keeps the arrays consistent. An edit of existing
// nodes increases edit_version.
namespace ramet {

GraphData& MutableGraphDataOf(Graph& graph);

// Moves a block of text for the names of nodes to the graph and returns it.
std::string_view KeepNames(Graph& graph, std::string block);
// Returns the graph's foreign op (Graph::AddForeignOp) of this name, and adds it if it is new.
const Op* ForeignOpIn(Graph& graph, OpSchema schema);

}  // namespace ramet
