#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// Reading checkpoints in TensorFlow's V1 format, one sorted table a shard
// (docs/formats/checkpoint-v1.md). Nothing in the files is trusted, as in BundleReader.
namespace ramet {

// A V1Reader reads one checkpoint. It keeps its files open, so an overwrite does not touch what it
// reads. A record, which is less than 2 GiB, is in memory while it is read; no more than that and
// the list of tensors stays. One thread at a time.
class RAMET_EXPORT V1Reader {
 public:
  // `pattern`: the path of the file, or a shell pattern of those of all shards, such as
  // "model-?????-of-00004". Tensors of all files are joined by name.
  // \error kNotFound "Unsuccessful TensorSliceReader constructor: Failed to find any matching files
  //   for PATTERN"; kDataLoss "Unable to open table file F: DATA_LOSS: ...", or if shapes or slices
  //   in it cannot be; kInternal "Failed to find the saved tensor slices at the beginning of the
  //   checkpoint file: F", "Overlapping slices: ...", "Incompatible tensor shapes detected ...";
  //   kInvalidArgument if a file was written for newer readers.
  static StatusOr<V1Reader> Open(const std::string& pattern);
  V1Reader(V1Reader&&) noexcept;
  V1Reader& operator=(V1Reader&&) noexcept;
  ~V1Reader();

  const std::string& pattern() const;
  // The files that match it, sorted.
  const std::vector<std::string>& paths() const;

  // All tensors, sorted by name.
  std::vector<CheckpointTensor> List() const;
  bool Has(std::string_view name) const;
  // \error kNotFound "Tensor name "NAME" not found in checkpoint files PATTERN".
  StatusOr<CheckpointTensor> Find(std::string_view name) const;
  // The whole tensor in a buffer of `allocator`, whose memory the host can touch; put together when
  // it is stored in slices (TensorFlow's reader refuses that, its RestoreSlice does it). \error as
  // Find; kInvalidArgument "Error copying slice data" if the slices do not cover the tensor;
  // kDataLoss if a record is damaged or missing; kUnimplemented for dtypes that a Tensor does not
  // hold.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  // A box of it. \error as Read; kInternal as TensorSlice::ShapeIn.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());

 private:
  class Impl;
  explicit V1Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
