#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A tensor as a serialised TensorProto, and back: for programs that hold messages of their own.
// Pure functions, for any thread.
//
// \error kDataLoss if the bytes are no TensorProto; kInvalidArgument, kResourceExhausted if it
//   describes no tensor (its shape, dtype or contents do not fit) or one that is too large.
RAMET_EXPORT StatusOr<Tensor> TensorFromProtoBytes(std::string_view tensor_proto);
// \error kInvalidArgument if the tensor is not in host memory or its dtype has no proto form.
RAMET_EXPORT StatusOr<std::string> TensorToProtoBytes(const Tensor& tensor);

}  // namespace ramet
