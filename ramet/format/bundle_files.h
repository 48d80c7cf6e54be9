#pragma once

#include <string>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// A data file PREFIX.data-SSSSS-of-NNNNN that is in a folder.
struct BundleDataFile {
  std::string path;
  int shard = 0;
  int num_shards = 0;
};

// The files of one prefix, as a look into its folder found them.
struct BundleFiles {
  std::vector<BundleDataFile> data;
  // PREFIX.index.tempstate..., PREFIX.data-....tempstate..., and of V1 files PREFIX.tempstate...
  std::vector<std::string> temporaries;
};

// \error of listing the folder.
StatusOr<BundleFiles> FindBundleFiles(const std::string& prefix);

}  // namespace ramet
