#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// Converts tensors to and from serialized TensorProto messages, for programs with their own copy of
// the protocol buffer classes. Thread-safe.
//
// \error kDataLoss: the bytes are not a TensorProto.
// \error kInvalidArgument: the shape, dtype and contents do not describe a tensor.
// \error kResourceExhausted: the tensor is too large.
RAMET_EXPORT StatusOr<Tensor> TensorFromProtoBytes(std::string_view tensor_proto);
// \error kInvalidArgument: the tensor is not in host memory or its dtype has no proto form.
RAMET_EXPORT StatusOr<std::string> TensorToProtoBytes(const Tensor& tensor);

}  // namespace ramet
