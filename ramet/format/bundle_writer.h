#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Writes checkpoints in TensorFlow's V2 format (docs/formats/checkpoint-v2.md).
namespace ramet {

// A BundleWriter writes one checkpoint, tensor by tensor, directly to disk. With a new prefix the
// files are byte for byte those that TensorFlow writes for the same calls. Overwriting an existing
// prefix is atomic: the data goes to a file with an unused name, and the rename of the index
// commits. Until then, and after a crash at any moment, the old checkpoint is unchanged. The
// replaced data file stays until the next save, for readers that still use it. Older ones and
// leftovers of killed saves are removed.
//
// Not thread-safe. Several writers, in any processes, may save to one prefix at once: the last one
// to finish wins.
class RAMET_EXPORT BundleWriter {
 public:
  // Creates the folder of `prefix` if it is missing, but not its parent, as TensorFlow does.
  // \error kNotFound: the folder's parent is missing.
  // \error any error of creating the files.
  static StatusOr<BundleWriter> Create(const std::string& prefix);
  BundleWriter(BundleWriter&&) noexcept;
  BundleWriter& operator=(BundleWriter&&) noexcept;
  // Without a successful Finish, removes what was written; the old checkpoint is unchanged.
  ~BundleWriter();

  // Appends a tensor, which must be in host memory. Does not keep a reference.
  // \error kInvalidArgument: "Adding duplicate key: NAME"; or the name or tensor is empty, or the
  //   tensor is not in host memory.
  // \error kFailedPrecondition: Finish was called.
  // \error any error of the file, which every later call also returns.
  Status Add(std::string_view name, const Tensor& tensor);
  // Appends the box `slice` of the tensor `name`, whose full shape is `full_shape`. A slice that
  // covers the whole tensor is stored like Add.
  // \error kInvalidArgument: the tensor's shape is not that of the slice, or the full shape or
  //   dtype differ from those of earlier slices.
  // \error as Add and TensorSlice::ShapeIn.
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& tensor);
  // Appends a tensor of a flat dtype, or the box `slice` of one, without holding it in memory.
  // `produce` passes the bytes, little-endian and row-major, to its argument in pieces of any size.
  // \error kUnimplemented: the dtype is string.
  // \error kInvalidArgument: the pieces do not add up to the size of the tensor. Every later call
  //   fails.
  // \error any error of `produce`. Every later call fails.
  // \error as AddSlice.
  Status AddPieces(
      std::string_view name, DType dtype, const Shape& full_shape, const TensorSlice& slice,
      const std::function<Status(const std::function<Status(std::string_view)>&)>& produce);
  // Syncs and commits. Called once; nothing can be added afterwards.
  // \error any error of the files (no space, ...). The old checkpoint is then unchanged and the new
  //   one removed.
  Status Finish();

 private:
  class Impl;
  explicit BundleWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
