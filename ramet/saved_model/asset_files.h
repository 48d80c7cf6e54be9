#pragma once

#include <string>
#include <vector>

#include "ramet/saved_model/loader.h"

namespace ramet {

// A model's file and its name in the assets folder.
struct AssetFile {
  Output tensor;
  std::string path;
  std::string filename;
};

// Finds the path of each asset and assigns it a file name: the base name, or "NAME_1" and so on if
// a file with different contents has that name already.
// \error kInvalidArgument: no path is given and the tensor is not a constant string.
// \error as for reading the files.
StatusOr<std::vector<AssetFile>> NameAssets(const std::vector<SavedModelAsset>& assets);

// Copies the files to `folder`. Existing files are not overwritten.
// \error kNotFound: a file does not exist. The message names the asset.
// \error as for the file operations.
Status CopyAssets(const std::vector<AssetFile>& assets, const std::string& folder);

}  // namespace ramet
