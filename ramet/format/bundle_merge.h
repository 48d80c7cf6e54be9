#pragma once

#include <span>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

struct MergeOptions {
  // Removes the indexes of the merged prefixes, and their folders if these are then empty.
  bool delete_old_dirs = true;
  // Skips prefixes without an index, as long as at least one has one.
  bool allow_missing_files = false;
};

// Merges the bundles at `prefixes` into the checkpoint `destination`, as MergeV2Checkpoints. Data
// files are renamed, not copied, in the order in which their entries first appear. The new index is
// committed as by BundleWriter, atomically even over an existing destination.
// \error kInvalidArgument: no prefix is given; or two bundles have the same tensor (different
//   slices of a tensor are fine), or differ in endianness or in the tensor's shape or dtype.
// \error kInternal: one bundle has slices and another the whole of a tensor.
// \error kNotFound: a bundle is missing.
// \error kDataLoss: a bundle is damaged.
RAMET_EXPORT Status MergeBundles(std::span<const std::string> prefixes,
                                 const std::string& destination, const MergeOptions& options = {});

}  // namespace ramet
