#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/bundle_reader.h"
#include "ramet/format/bundle_restore.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// Reads checkpoints of either format, as tf.train.load_checkpoint does.
namespace ramet {

enum class CheckpointFormat { kV1 = 1, kV2 = 2 };

// A CheckpointReader reads one checkpoint. It is V2 if there is a PREFIX.index, otherwise V1, for
// which the prefix is the path of a file or a pattern that matches several. Not thread-safe.
class RAMET_EXPORT CheckpointReader {
 public:
  // Opens a checkpoint.
  // \error kNotFound: "Unsuccessful TensorSliceReader constructor: Failed to find any matching
  //   files for PREFIX".
  // \error as BundleReader::Open or V1Reader::Open.
  static StatusOr<CheckpointReader> Open(const std::string& prefix);
  CheckpointReader(CheckpointReader&&) noexcept;
  CheckpointReader& operator=(CheckpointReader&&) noexcept;
  ~CheckpointReader();

  CheckpointFormat format() const;
  const std::string& prefix() const;
  // Returns all tensors, sorted by name.
  // \error kDataLoss: a V2 index is damaged.
  StatusOr<std::vector<CheckpointTensor>> List();
  // Reports whether a tensor has exactly this name.
  // \error kDataLoss: a V2 index is damaged.
  StatusOr<bool> Has(std::string_view name);
  // Finds a tensor.
  // \error kNotFound: "Key NAME not found in checkpoint" (V2), "Tensor name "NAME" not found in
  //   checkpoint files PREFIX" (V1).
  // \error kDataLoss: the entry is damaged.
  StatusOr<CheckpointTensor> Find(std::string_view name);
  // Reads a whole tensor, assembling it if it is stored in slices.
  // \error as BundleReader::Read or V1Reader::Read.
  StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = HostAllocator());
  // Reads a box of a tensor.
  // \error as BundleReader::ReadSlice or V1Reader::ReadSlice.
  StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                             Allocator* allocator = HostAllocator());
  // Returns a line "NAME (DT_FLOAT) [4,2], 2 slices" per tensor, sorted by name.
  // \error as List.
  StatusOr<std::string> DebugString();

  // Returns the underlying V2 reader, owned by this object; nullptr for V1.
  BundleReader* bundle();

 private:
  class Impl;
  explicit CheckpointReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads all requests, in order, from a checkpoint of either format, as RestoreV2. The following
// errors are those of V1; V2 as ReadBundle.
// \error kNotFound: "Tensor name "NAME" not found in checkpoint files PREFIX".
// \error kInvalidArgument: "Expected to restore a tensor of type int32, got a tensor of type float
//   instead: tensor_name = NAME", or "Shape in shape_and_slice spec does not match the shape in the
//   save file: [5,2], save file shape: [4,2]".
// \error as V1Reader.
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadCheckpoint(const std::string& prefix,
                                                          std::span<const BundleRequest> requests,
                                                          Allocator* allocator = HostAllocator());

// Like ReadCheckpoint, but for V1 only: ignores a PREFIX.index (Restore, RestoreSlice).
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadV1(const std::string& pattern,
                                                  std::span<const BundleRequest> requests,
                                                  Allocator* allocator = HostAllocator());

}  // namespace ramet
