#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/format/bundle_restore.h"
#include "ramet/graph/graph.h"

namespace ramet {

// The nodes of a restore op.
struct RestoreNodes {
  // Names of the operations of the variables that are assigned.
  std::vector<std::string> variables;
  // The RestoreV2 operations that read the checkpoint.
  std::vector<Operation> reads;

  // Returns what all of `reads` request from a checkpoint, output by output. Returns nothing if
  // names or slices are not known at graph construction time.
  std::optional<std::vector<BundleRequest>> Requests() const;
};

// Follows the restore op `name` of a saver to its assignments and reads. The result is empty if
// there is no such op.
RestoreNodes FindRestoreNodes(const Graph& graph, std::string_view name);

}  // namespace ramet
