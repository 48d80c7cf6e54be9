#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/tensor.h"

// Writes checkpoints in TensorFlow's V1 format (docs/formats/checkpoint-v1.md).
namespace ramet {

// Returns the file name of one shard, "PREFIX-00001-of-00004".
RAMET_EXPORT std::string V1ShardPath(std::string_view prefix, int64_t shard, int64_t num_shards);
// Returns the name of a sharded checkpoint, "PREFIX-?????-of-00004".
RAMET_EXPORT std::string V1ShardPattern(std::string_view prefix, int64_t num_shards);

// A V1Writer writes one V1 file: a whole checkpoint, or one shard of it (V1ShardPath). For whole
// tensors the file is byte for byte the one that TensorFlow writes. Finish syncs the complete file
// and makes it appear atomically; until then, and after a crash, an old file is kept.
//
// Added tensors are held, not copied, until Finish. Their buffers must not change before that. Not
// thread-safe.
class RAMET_EXPORT V1Writer {
 public:
  // Prepares to write `path`. Creates no file yet.
  explicit V1Writer(std::string path);
  V1Writer(V1Writer&&) noexcept;
  V1Writer& operator=(V1Writer&&) noexcept;
  ~V1Writer();

  // Adds a whole tensor, which must be in host memory.
  // \error kInvalidArgument: "Adding duplicate key: NAME" (TensorFlow drops the second value); or
  //   the name is empty or not UTF-8; or the tensor is empty or not in host memory.
  // \error kUnimplemented: "Saving data type bfloat16 not yet supported", for dtypes that V1 lacks
  //   (bfloat16, qint16, quint16, uint32, uint64, resource, variant).
  // \error kFailedPrecondition: Finish was called.
  Status Add(std::string_view name, const Tensor& tensor);
  // Adds the box `slice` of a tensor of shape `full_shape` and records the extents as given.
  // \error kInvalidArgument: the tensor's shape is not that of the slice.
  // \error kInternal: the slice contradicts earlier ones, "Mismatching shapes: ..." or
  //   "Mismatching types: ...".
  // \error as Add and TensorSlice::ShapeIn.
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& tensor);
  // Like AddSlice, but Finish calls `read` to get the tensor and frees it after writing it, so that
  // a checkpoint larger than memory can be written. Errors are those of AddSlice.
  Status AddSliceLater(std::string_view name, DType dtype, const Shape& full_shape,
                       const TensorSlice& slice, std::function<StatusOr<Tensor>()> read);

  // Writes the file. Called once; nothing can be added afterwards. After an error the old file is
  // unchanged.
  // \error kInvalidArgument: a record could be 2 GiB or more, "Tensor slice is too large to
  //   serialize ...", or `read` returns another dtype or shape.
  // \error kInternal: "Overlapping slices: ...".
  // \error kNotFound: the folder is missing.
  // \error any error of the file or of `read`.
  Status Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
