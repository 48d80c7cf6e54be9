#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/format/bundle_reader.h"
#include "ramet/graph/graph.h"

namespace ramet {

// What a restore op does.
struct RestoreNodes {
  // The names of the operations of the variables that it assigns.
  std::vector<std::string> variables;
  // The RestoreV2 operations that it reads with.
  std::vector<Operation> reads;

  // What all of `reads` together ask of a checkpoint, output by output; nothing if names or slices
  // are not known while building.
  std::optional<std::vector<BundleRequest>> Requests() const;
};

// Follows the restore op `name` of a saver to its assignments and reads. Nothing if there is no
// such op.
RestoreNodes FindRestoreNodes(const Graph& graph, std::string_view name);

}  // namespace ramet
