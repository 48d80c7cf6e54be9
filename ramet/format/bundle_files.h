#pragma once

#include <string>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// A data file PREFIX.data-SSSSS-of-NNNNN in a folder.
struct BundleDataFile {
  std::string path;
  int shard = 0;
  int num_shards = 0;
};

// The files of one prefix that are in its folder.
struct BundleFiles {
  std::vector<BundleDataFile> data;
  // PREFIX.index.tempstate..., PREFIX.data-....tempstate..., and PREFIX.tempstate... of V1 files.
  std::vector<std::string> temporaries;
};

// Lists the files of `prefix`.
// \error any error of listing the folder.
StatusOr<BundleFiles> FindBundleFiles(const std::string& prefix);

}  // namespace ramet
