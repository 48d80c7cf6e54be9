#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Which variables are made constants; names as the graph has them ("w").
struct ConvertVariablesOptions {
  // Unset: all.
  std::optional<std::vector<std::string>> allow = {};
  std::vector<std::string> deny = {};
};

// The part of the session's graph that `output_node_names` need, with the variables' values in the
// place of the variables: a serialised GraphDef (tf.graph_util.convert_variables_to_constants;
// spec: graph-semantics 13). See ReplaceVariables for what becomes of the nodes. \error kNotFound
// "zz is not in graph" for an output; kFailedPrecondition naming an uninitialised
//   variable; those of ExportGraphDef and ReplaceVariables.
RAMET_EXPORT StatusOr<std::string> ConvertVariablesToConstants(
    Session& session, const std::vector<std::string>& output_node_names,
    const ConvertVariablesOptions& options = {});
// The same with another GraphDef (binary or text form) whose variables have the names of those in
// the session's graph. \error besides: kDataLoss if it is none; kNotFound naming a variable that
// the
//   session's graph does not have.
RAMET_EXPORT StatusOr<std::string> ConvertVariablesToConstants(
    Session& session, std::string_view graph_def, const std::vector<std::string>& output_node_names,
    const ConvertVariablesOptions& options = {});

}  // namespace ramet
