#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// Records of V1 checkpoints, shared by the reader and the writer (docs/formats/checkpoint-v1.md).
// All functions are pure.
namespace ramet {

// Reports whether TensorFlow's V1 files can hold the dtype. They cannot hold bfloat16, qint16,
// quint16, uint32, uint64, resource and variant.
bool IsV1DType(DType dtype);

// Returns the record with the key "" for a file with these tensors, in order. Every tensor must
// list its slices; a whole tensor has one slice of whole dimensions.
std::string EncodeV1Meta(const std::vector<CheckpointTensor>& tensors);
// Parses such a record.
// \error kInternal: the bytes are not such a record.
// \error kInvalidArgument: it was written for newer readers.
// \error kDataLoss: a shape or slice is impossible, "tensor NAME: REASON".
StatusOr<std::vector<CheckpointTensor>> DecodeV1Meta(std::string_view bytes);

// Returns the record of one slice with the values of `tensor`, which is in host memory.
// \error kUnimplemented: the dtype is not IsV1DType, "Saving data type bfloat16 not yet supported".
// \error kInvalidArgument: the record could be 2 GiB or more, "Tensor slice is too large to
//   serialize (conservative estimate: N bytes)".
StatusOr<std::string> EncodeV1Slice(std::string_view name, const TensorSlice& slice,
                                    const Tensor& tensor);
// Parses such a record into a tensor. Allocates only as much as the record's values need.
// \error kDataLoss: the bytes are not such a record, or the number of values does not match
//   `shape`.
// \error kUnimplemented: a Tensor cannot hold the dtype.
StatusOr<Tensor> DecodeV1Slice(std::string_view bytes, DType dtype, const Shape& shape);

}  // namespace ramet
