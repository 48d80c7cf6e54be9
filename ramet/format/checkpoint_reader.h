#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// Reading checkpoints of either format, as tf.train.load_checkpoint does.
namespace ramet {

enum class CheckpointFormat { kV1 = 1, kV2 = 2 };

// A CheckpointReader reads one checkpoint: V2 if there is a PREFIX.index, otherwise V1, for which
// the prefix is the path of a file or a pattern of several. One thread at a time.
class RAMET_EXPORT CheckpointReader {
 public:
  // \error kNotFound "Unsuccessful TensorSliceReader constructor: Failed to find any matching files
  //   for PREFIX"; those of BundleReader::Open or V1Reader::Open.
  static StatusOr<CheckpointReader> Open(const std::string& prefix);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  CheckpointFormat format() const;
  const std::string& prefix() const;
  // All tensors, sorted by name. \error kDataLoss if a V2 index is damaged.
  StatusOr<std::vector<CheckpointTensor>> List();
  // Whether there is a tensor of exactly this name. \error kDataLoss if a V2 index is damaged.
  StatusOr<bool> Has(std::string_view name);
  // \error kNotFound "Key NAME not found in checkpoint" (V2), "Tensor name "NAME" not found in
  //   checkpoint files PREFIX" (V1); kDataLoss if the entry is damaged.
  StatusOr<CheckpointTensor> Find(std::string_view name);
  // The whole tensor, put together when it is stored in slices. \error as BundleReader::Read or
  // V1Reader::Read.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  // A box of it. \error as BundleReader::ReadSlice or V1Reader::ReadSlice.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());
  // A line "NAME (DT_FLOAT) [4,2], 2 slices" for each tensor, sorted by name. \error as List.
  StatusOr<std::string> DebugString();

  // The reader beneath, if the format is V2; otherwise nullptr. It belongs to this object.
  BundleReader* bundle();

 private:
  class Impl;
  explicit CheckpointReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads all requests, in their order, from a checkpoint of either format (RestoreV2). V2 as
// ReadBundle.
// \error V1: kNotFound "Tensor name "NAME" not found in checkpoint files PREFIX"; kInvalidArgument
//   "Expected to restore a tensor of type int32, got a tensor of type float instead: tensor_name =
//   NAME", "Shape in shape_and_slice spec does not match the shape in the save file: [5,2], save
//   file shape: [4,2]"; and those of V1Reader. V2: those of ReadBundle.
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadCheckpoint(const std::string& prefix,
                                                          std::span<const BundleRequest> requests,
                                                          Allocator* allocator = HostAllocator());

// As ReadCheckpoint, for V1 alone: a PREFIX.index is not looked for (Restore, RestoreSlice).
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadV1(const std::string& pattern,
                                                  std::span<const BundleRequest> requests,
                                                  Allocator* allocator = HostAllocator());

}  // namespace ramet
