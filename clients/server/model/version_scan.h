#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/server_config.h"

namespace server {

// A version on disk.
struct FoundVersion {
  int64_t number = 0;
  std::string path = {};  // as LoadGraph takes it
};

// Finds the versions at `source`, highest number first. A base path has a folder for each, whose
// name is its number. A SavedModel folder, a frozen graph or a checkpoint is the only version. Its
// number is that in the last part of its name, as in "model-100", or else 1. The latest checkpoint
// of a folder with a `checkpoint` file is the only version.
// \error kNotFound: `source` does not exist or contains no version.
// \error any other error of reading the folder.
ramet::StatusOr<std::vector<FoundVersion>> FindVersions(const std::string& source);

// Returns those among `found`, highest number first, that are to be served.
std::vector<FoundVersion> ChooseVersions(const std::vector<FoundVersion>& found,
                                         const VersionPolicy& policy);

// A summary of the names, sizes and times of a version's files: those in its folder, or those that
// begin with the prefix of a checkpoint. Files that are being copied change it.
struct FilesState {
  uint64_t digest = 0;
  double age_seconds = 0;  // since the last change; 0 if it is in the future
};
FilesState LookAtFiles(const std::string& path);

}  // namespace server
