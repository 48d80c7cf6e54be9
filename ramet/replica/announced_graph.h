#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/graph/graph.h"
#include "ramet/replica/announced_signatures.h"

// The graph that a publisher announces. For one model it is a MetaGraphDef. For several models it
// is a SavedModel message with one MetaGraphDef per model, tagged with the model's name (see
// docs/formats/shm.md).
namespace ramet {

// A model to announce.
struct AnnouncedModel {
  std::string name = {};  // empty if it is the only one
  const Graph* graph = nullptr;
  SignatureDefs signature_defs = {};
};

// Returns the announced graph of one model without a name, or of several models with names.
// \error as for CarrySignatures and ExportMetaGraph.
StatusOr<std::string> AnnounceGraphs(const std::vector<AnnouncedModel>& models);

// Returns the names of the models of an announced graph. Empty if it is a single MetaGraphDef.
std::vector<std::string> AnnouncedModels(std::string_view announced);
// Returns the MetaGraphDef of a model, as a part of `announced`. An empty `model` means the only
// one.
// \error kInvalidArgument: there is no such model. The message lists the models.
StatusOr<std::string_view> AnnouncedGraph(std::string_view announced, std::string_view model);

}  // namespace ramet
