#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A tensor to read from a checkpoint.
struct BundleRequest {
  std::string name;
  // The expected dtype, or kInvalid for any.
  DType dtype = DType::kInvalid;
  // "" for the whole tensor, otherwise in the syntax of ParseShapeAndSlice.
  std::string shape_and_slice;
};

// Reads all requests, in order, from one save: if another process overwrites the checkpoint, the
// result is entirely from the old or entirely from the new one. Starts over if files were replaced
// during the read (the index changed, or data is newer than the index). Gives up after 20 restarts,
// or after waiting a second in total.
// \error kNotFound: there is no index, "Unsuccessful TensorSliceReader constructor: Failed to find
//   any matching files for PREFIX"; or a name is missing, "Key NAME not found in checkpoint".
// \error kInvalidArgument: "tensor_name = NAME; expected dtype int32 does not equal original dtype
//   float", one line per differing dtype; or "tensor_name = NAME; shape in shape_and_slice spec
//   [12,2] does not match the shape stored in checkpoint: [10,2]".
// \error as BundleReader.
RAMET_EXPORT StatusOr<std::vector<Tensor>> ReadBundle(const std::string& prefix,
                                                      std::span<const BundleRequest> requests,
                                                      Allocator* allocator = HostAllocator());

}  // namespace ramet
