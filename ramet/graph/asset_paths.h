#pragma once

#include <string>

#include "ramet/graph/graph.h"

namespace ramet {

// Records that a tensor is an asset of a loaded SavedModel: it stands for the file `path`, whatever
// its value in the graph is. Runs and exports do not use this, but copies in clones have the path
// as their value. Only for scalar constants; other tensors are ignored.
void SetAssetPath(const Output& tensor, std::string path);

}  // namespace ramet
