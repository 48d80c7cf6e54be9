#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Writing checkpoints in TensorFlow's V2 format (docs/formats/checkpoint-v2.md).
namespace ramet {

// A BundleWriter writes one checkpoint, tensor by tensor, straight to the disk. On a fresh prefix
// the files are byte for byte those that TensorFlow writes for the same calls. Onto a prefix that
// exists, a save is one atomic step: the data go to a file with a name that is not in use, and the
// rename of the index commits. Until then, and after a crash or kill at any moment, the old
// checkpoint stays as it was. The data file of the checkpoint that was replaced stays until the
// next save, for readers that are still at it; older ones go, and so do leftovers of saves that
// were killed.
//
// One thread at a time. Several writers, also of several processes, may save to one prefix at once:
// the last one to finish wins, whole.
class RAMET_EXPORT BundleWriter {
 public:
  // Makes the folder of `prefix` if it is missing (one level, as TensorFlow does).
  // \error kNotFound if the folder's parent is missing; those of making the files.
  static StatusOr<BundleWriter> Create(const std::string& prefix);
  BundleWriter(BundleWriter&&) noexcept;
  BundleWriter& operator=(BundleWriter&&) noexcept;
  // Without a successful Finish: removes what was written; the prefix is as before.
  ~BundleWriter();

  // Appends a tensor, which must be in host memory and is not kept.
  // \error kInvalidArgument "Adding duplicate key: NAME"; if the name or the tensor is empty or the
  // tensor
  //   is not in host memory; that of the file, after which every later call fails with it.
  Status Add(std::string_view name, const Tensor& tensor);
  // Appends the box `slice` of the tensor `name`, whose full shape is `full_shape`. A slice that
  // covers the whole tensor is stored as Add does. \error as Add; kInvalidArgument if the tensor's
  // shape is not the slice's, or full shape or dtype
  //   differ from those of the slices before; kInternal as TensorSlice::ShapeIn.
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& tensor);
  // Appends a tensor of a flat dtype, or the box `slice` of one, that is never whole in memory:
  // `produce` calls its argument with the bytes, little-endian and in row-major order, in pieces of
  // any size. \error as AddSlice; kUnimplemented for strings; kInvalidArgument if the pieces are
  // not as long as the tensor, and that of `produce`: after these two every later call fails.
  Status AddPieces(
      std::string_view name, DType dtype, const Shape& full_shape, const TensorSlice& slice,
      const std::function<Status(const std::function<Status(std::string_view)>&)>& produce);
  // Syncs and commits. Once; nothing can be added after it. \error of the files (no space, ...):
  // then the old checkpoint is still there, the new one is gone.
  Status Finish();

 private:
  class Impl;
  explicit BundleWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct MergeOptions {
  // Removes the indexes of the merged prefixes, and their folders when these are empty then.
  bool delete_old_dirs = true;
  // A prefix without index is passed over, as long as one is there.
  bool allow_missing_files = false;
};

// Makes one checkpoint `destination` of the bundles at `prefixes` (what MergeV2Checkpoints does):
// their data files are renamed, not copied, in the order in which their entries first appear, and
// the new index is committed as BundleWriter does it, atomic on an existing destination too. \error
// kInvalidArgument if no prefix is given, or two bundles hold the same tensor (slices of one
//   tensor are fine), differ in endianness or in the tensor's shape or dtype; kInternal if one
//   holds slices and the other the whole of a tensor; kNotFound if one is missing; kDataLoss if one
//   is damaged.
RAMET_EXPORT Status MergeBundles(std::span<const std::string> prefixes,
                                 const std::string& destination, const MergeOptions& options = {});

}  // namespace ramet
