#pragma once

#include <string>
#include <vector>

#include "ramet/saved_model/loader.h"

namespace ramet {

// A file of a model and the name that it gets in the assets folder.
struct AssetFile {
  Output tensor;
  std::string path;
  std::string filename;
};

// Finds the paths and gives each file a name: its base name, "NAME_1", ... when another file with
// other content has that name already.
// \error kInvalidArgument if a path is not given and the tensor is no constant string; those of
// reading the files.
StatusOr<std::vector<AssetFile>> NameAssets(const std::vector<SavedModelAsset>& assets);

// Copies the files into `folder`; a file that is there stays as it is.
// \error kNotFound naming the asset; those of the files.
Status CopyAssets(const std::vector<AssetFile>& assets, const std::string& folder);

}  // namespace ramet
