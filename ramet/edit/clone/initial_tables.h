#pragma once

#include <vector>

#include "ramet/edit/clone/current_values.h"
#include "ramet/edit/clone/state_op_builder.h"

namespace ramet {

// Appends the operations that fill a clone's tables to `ops`: the copies of their initializers or,
// with kCurrent, operations that copy the original's content. Checkpoints and functions that return
// the values of variables do not contain tables, so initializers fill them. Errors are those of
// Graph::AddNode.
Status InitTables(const CloneOptions& options, const StateValues& values,
                  const CloneMapping& mapping, StateOpBuilder* builder,
                  std::vector<Operation>* ops);

}  // namespace ramet
