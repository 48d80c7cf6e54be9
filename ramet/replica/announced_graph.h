#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/graph/graph.h"

// The graph that a publisher announces: a MetaGraphDef, or of several models a SavedModel message
// with a MetaGraphDef of each, tagged with its name (docs/formats/shm.md).
namespace ramet {

// \error as ExportMetaGraph.
StatusOr<std::string> AnnounceGraph(const Graph& graph);
StatusOr<std::string> AnnounceGraphs(
    const std::vector<std::pair<std::string, const Graph*>>& models);

// The names of the models of an announced graph; nothing if it is one MetaGraphDef.
std::vector<std::string> AnnouncedModels(std::string_view announced);
// The MetaGraphDef of a model ("": of the only one). It is part of `announced`.
// \error kInvalidArgument naming the models that there are.
StatusOr<std::string_view> AnnouncedGraph(std::string_view announced, std::string_view model);

}  // namespace ramet
