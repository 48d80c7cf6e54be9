#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// Reads checkpoints in TensorFlow's V1 format, with one sorted table per shard
// (docs/formats/checkpoint-v1.md). Nothing in the files is trusted, as in BundleReader.
namespace ramet {

// A V1Reader reads one checkpoint. It keeps its files open, so overwriting them does not affect
// what it reads. A record, which is less than 2 GiB, is in memory while it is read; apart from
// that, only the list of tensors is. Not thread-safe.
class RAMET_EXPORT V1Reader {
 public:
  // Opens a checkpoint. `pattern` is the path of the file, or a shell pattern that matches all
  // shards, such as "model-?????-of-00004". Tensors of all files are joined by name.
  // \error kNotFound: "Unsuccessful TensorSliceReader constructor: Failed to find any matching
  //   files for PATTERN".
  // \error kDataLoss: "Unable to open table file F: DATA_LOSS: ...", or shapes or slices in it are
  //   impossible.
  // \error kInternal: "Failed to find the saved tensor slices at the beginning of the checkpoint
  //   file: F", "Overlapping slices: ..." or "Incompatible tensor shapes detected ...".
  // \error kInvalidArgument: a file was written for newer readers.
  static StatusOr<V1Reader> Open(const std::string& pattern);
  V1Reader(V1Reader&&) noexcept;
  V1Reader& operator=(V1Reader&&) noexcept;
  ~V1Reader();

  const std::string& pattern() const;
  // Returns the files that match the pattern, sorted.
  const std::vector<std::string>& paths() const;

  // Returns all tensors, sorted by name.
  std::vector<CheckpointTensor> List() const;
  bool Has(std::string_view name) const;
  // Finds a tensor.
  // \error kNotFound: "Tensor name "NAME" not found in checkpoint files PATTERN".
  StatusOr<CheckpointTensor> Find(std::string_view name) const;
  // Reads a whole tensor into a buffer of `allocator`, whose memory the host must be able to
  // access. Assembles a tensor that is stored in slices. (TensorFlow's reader refuses such tensors;
  // its RestoreSlice assembles them.)
  // \error kInvalidArgument: the slices do not cover the tensor, "Error copying slice data".
  // \error kDataLoss: a record is damaged or missing.
  // \error kUnimplemented: a Tensor cannot hold the dtype.
  // \error as Find.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  // Reads a box of a tensor.
  // \error as Read and TensorSlice::ShapeIn.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());

 private:
  class Impl;
  explicit V1Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
