#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model_version.h"

namespace server {

// How the files of a model become a session.
struct LoadOptions {
  std::vector<std::string> tags = {"serve"};  // of a SavedModel's graph
  // The outputs of the signature that a model without signatures gets, as DefaultSignature takes
  // them.
  std::vector<std::string> outputs = {};
  ramet::SessionOptions session = {.allow_soft_placement = true};
};

// A graph with a session and the values of its variables.
struct LoadedGraph {
  std::unique_ptr<ramet::Graph> graph = std::make_unique<ramet::Graph>();
  std::optional<ramet::Session> session = {};
  std::shared_ptr<const Signatures> signatures = {};
  int64_t bytes = 0;  // of the variables
};

// Loads a SavedModel folder, the prefix of a checkpoint or its .meta file, a folder with a
// `checkpoint` file, or a frozen graph.
// \error kNotFound: `path` does not exist, or a SavedModel has no graph with the tags.
// \error kInvalidArgument: it is none of these, or has no outputs.
// \error as for LoadSavedModel, ImportMetaGraphFile, ImportGraphDefFile and Saver::Restore.
ramet::StatusOr<LoadedGraph> LoadGraph(const std::string& path, const LoadOptions& options);

// Parses serialized SignatureDefs by key. Leaves out those that cannot be parsed and those that
// SavedModels use for other purposes ("__saved_model_init_op").
Signatures ParseSignatures(const std::map<std::string, std::string>& signature_defs);

// Returns `signatures`, or a "serving_default" that DefaultSignature makes if there are none.
// \error as for DefaultSignature.
ramet::StatusOr<std::shared_ptr<const Signatures>> ChooseSignatures(
    const ramet::Graph& graph, Signatures signatures, const std::vector<std::string>& outputs);

// Returns the bytes that the session's variables take.
int64_t VariableBytes(const ramet::Session& session);

}  // namespace server
