#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/graph/graph.h"

// The graph that a publisher announces. For one model it is a MetaGraphDef. For several models it
// is a SavedModel message with one MetaGraphDef per model, tagged with the model's name (see
// docs/formats/shm.md).
namespace ramet {

// \error as for ExportMetaGraph.
StatusOr<std::string> AnnounceGraph(const Graph& graph);
StatusOr<std::string> AnnounceGraphs(
    const std::vector<std::pair<std::string, const Graph*>>& models);

// Returns the names of the models of an announced graph. Empty if it is a single MetaGraphDef.
std::vector<std::string> AnnouncedModels(std::string_view announced);
// Returns the MetaGraphDef of a model, as a part of `announced`. An empty `model` means the only
// one.
// \error kInvalidArgument: there is no such model. The message lists the models.
StatusOr<std::string_view> AnnouncedGraph(std::string_view announced, std::string_view model);

}  // namespace ramet
