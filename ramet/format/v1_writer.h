#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Writing checkpoints in TensorFlow's V1 format (docs/formats/checkpoint-v1.md).
namespace ramet {

// "PREFIX-00001-of-00004": the file of one shard.
RAMET_EXPORT std::string V1ShardPath(std::string_view prefix, int64_t shard, int64_t num_shards);
// "PREFIX-?????-of-00004": what a sharded checkpoint is called.
RAMET_EXPORT std::string V1ShardPattern(std::string_view prefix, int64_t num_shards);

// A V1Writer writes one V1 file: a whole checkpoint, or one shard of it (V1ShardPath names it). For
// whole tensors the file is byte for byte the one that TensorFlow writes. It appears under its name
// in one step, complete and synced, when Finish succeeds; until then, and after a crash, whatever
// was there stays.
//
// Added tensors are held, not copied, until Finish: do not write to their buffers before. One
// thread at a time.
class RAMET_EXPORT V1Writer {
 public:
  // Makes no file yet.
  explicit V1Writer(std::string path);
  V1Writer(V1Writer&&) noexcept;
  V1Writer& operator=(V1Writer&&) noexcept;
  ~V1Writer();

  // A whole tensor, in host memory.
  // \error kInvalidArgument "Adding duplicate key: NAME" (TensorFlow drops the second value); if
  //   the name or tensor is empty or the tensor is not in host memory; kUnimplemented "Saving data
  //   type bfloat16 not yet supported" for the dtypes that V1 lacks (bfloat16, qint16, quint16,
  //   uint32, uint64, resource, variant).
  Status Add(std::string_view name, const Tensor& tensor);
  // The box `slice` of a tensor of shape `full_shape`, under the extents as they are given.
  // \error as Add; kInvalidArgument if the tensor's shape is not the slice's; kInternal
  // "Mismatching
  //   shapes: ...", "Mismatching types: ..." against the slices before, and as
  //   TensorSlice::ShapeIn.
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& tensor);
  // As AddSlice, but Finish asks for the tensor when its turn has come and lets it go then, so that
  // a checkpoint larger than memory can be written.
  Status AddSliceLater(std::string_view name, DType dtype, const Shape& full_shape,
                       const TensorSlice& slice, std::function<StatusOr<Tensor>()> read);

  // Writes the file. Once; nothing can be added after it. \error those of the files (kNotFound if
  // the folder is missing), of `read`; kInvalidArgument "Tensor slice is too large to serialize
  // ..." for a record that could be 2 GiB or more, or if `read` gives another dtype or shape;
  // kInternal "Overlapping slices: ...". After an error whatever was at the path is as before.
  Status Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
