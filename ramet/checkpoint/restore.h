#pragma once

#include <string>

#include "ramet/graph/meta_graph.h"
#include "ramet/runtime/session.h"

namespace ramet {

// \error kInvalidArgument if the path is empty or no checkpoint is there, naming the near ones.
Status CheckCheckpoint(const std::string& save_path);

// Restores the checkpoint at `save_path` through the nodes that `names` names: all from one save,
// also while another process overwrites the checkpoint, and object-based checkpoints by the
// variables' names. The session is told of what was restored. \error as Saver::Restore.
Status RestoreCheckpoint(Session& session, const Graph& graph, const SaverNames& names,
                         const std::string& save_path);

}  // namespace ramet
