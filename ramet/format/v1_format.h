#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/checkpoint_tensor.h"
#include "ramet/tensor/tensor.h"

// What reader and writer of V1 checkpoints share: their records (docs/formats/checkpoint-v1.md).
// All functions are pure.
namespace ramet {

// Whether TensorFlow's V1 files can hold the dtype: not bfloat16, qint16, quint16, uint32, uint64,
// resource and variant.
bool IsV1DType(DType dtype);

// The record under the key "" of a file of these tensors, in their order. Here every tensor lists
// its slices, a whole one as a slice of whole dimensions.
std::string EncodeV1Meta(const std::vector<CheckpointTensor>& tensors);
// The inverse. \error kInternal if the bytes are no such record; kInvalidArgument if it was written
// for newer readers; kDataLoss "tensor NAME: what is wrong" for shapes and slices that cannot be.
StatusOr<std::vector<CheckpointTensor>> DecodeV1Meta(std::string_view bytes);

// The record of one slice, whose values are `tensor`, in host memory.
// \error kUnimplemented "Saving data type bfloat16 not yet supported" unless IsV1DType;
//   kInvalidArgument "Tensor slice is too large to serialize (conservative estimate: N bytes)" if
//   the record could be 2 GiB or more.
StatusOr<std::string> EncodeV1Slice(std::string_view name, const TensorSlice& slice,
                                    const Tensor& tensor);
// The tensor of such a record. Takes memory only for values that the record holds.
// \error kDataLoss if the bytes are no such record or hold another number of values than `shape`
// has elements; kUnimplemented for dtypes that a Tensor does not hold.
StatusOr<Tensor> DecodeV1Slice(std::string_view bytes, DType dtype, const Shape& shape);

}  // namespace ramet
