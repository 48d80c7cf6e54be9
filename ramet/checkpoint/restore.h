#pragma once

#include <string>

#include "ramet/graph_def/meta_graph.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Checks that there is a checkpoint at `save_path`.
// \error kInvalidArgument: the path is empty or has no checkpoint. The message lists nearby ones.
Status CheckCheckpoint(const std::string& save_path);

// Restores the checkpoint at `save_path` through the nodes in `names` and tells the session which
// variables were restored. All values come from one save, even if another process overwrites the
// checkpoint. Object-based checkpoints are read by variable names.
// \error as for Saver::Restore.
Status RestoreCheckpoint(Session& session, const Graph& graph, const SaverNames& names,
                         const std::string& save_path);

}  // namespace ramet
