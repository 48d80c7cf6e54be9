#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Controls which variables become constants, by their names in the graph ("w").
struct ConvertVariablesOptions {
  // Unset: all variables.
  std::optional<std::vector<std::string>> allow = {};
  std::vector<std::string> deny = {};
};

// Returns the part of the session's graph that `output_node_names` need, with variables replaced by
// their values, as a serialized GraphDef (tf.graph_util.convert_variables_to_constants). See
// ReplaceVariables for how nodes change.
// \error kNotFound: "zz is not in graph" for an output.
// \error kFailedPrecondition: a variable is uninitialized. The message names it.
// \error as for ExportGraphDef and ReplaceVariables.
RAMET_EXPORT StatusOr<std::string> ConvertVariablesToConstants(
    Session& session, const std::vector<std::string>& output_node_names,
    const ConvertVariablesOptions& options = {});
// Like the above, for a different GraphDef (in binary or text format) whose variables have the
// names of those in the session's graph.
// \error kDataLoss: `graph_def` is not a GraphDef.
// \error kNotFound: the session's graph lacks a variable. The message names it.
// \error as above.
RAMET_EXPORT StatusOr<std::string> ConvertVariablesToConstants(
    Session& session, std::string_view graph_def, const std::vector<std::string>& output_node_names,
    const ConvertVariablesOptions& options = {});

}  // namespace ramet
