#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/selection.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// The keys and values of a table.
struct TableEntries {
  Tensor keys, values;
};

// The state of a session, keyed by operations of the source. State without a value is missing.
struct StateValues {
  std::unordered_map<NodeId, Tensor> variables;
  std::unordered_map<NodeId, TableEntries> tables;
  bool has_tables = false;  // the tables of the session were read
};

// Reads the values with which a clone in a different graph starts (kCurrent) from
// CloneOptions::session. Reads nothing in other cases. Holds no lock. Errors are those of Clone.
StatusOr<StateValues> ReadCurrentValues(const CloneSelection& selection,
                                        const CloneOptions& options);

// Returns the current values of the originals of a clone's variables.
// \error kInvalidArgument: the source has no record of a variable.
// \error kFailedPrecondition: a variable has no value.
StatusOr<std::vector<Tensor>> ReadOriginals(const CloneMapping& mapping, const CloneSession& from);

// \error kInvalidArgument: the session is missing or belongs to a different graph.
Status CheckSession(const CloneSession& session, const Graph& graph, const char* argument);

}  // namespace ramet
