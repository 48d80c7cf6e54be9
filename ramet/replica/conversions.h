#pragma once

#include <cstdint>

#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// What floating values are sent as. Others are left alone.
enum class Conversion : uint8_t {
  kNone,
  kBFloat16,
  kHalf,
  kInt8,  // one scale for each channel, which is the last dimension: its largest magnitude is 127
};

// The dtype of a value of `dtype` after a conversion; `dtype` itself where there is nothing to do.
DType ConvertedDType(DType dtype, Conversion conversion);
// The dtype of the scales that go with int8 values of what was `dtype`: double for double, else
// float.
DType ScalesDType(DType dtype);
// The shape of the scales: the last dimension, or one element for a scalar.
Shape ScalesShape(const Shape& shape);

// `value`, of a floating dtype and in host memory, as bfloat16 or half, in a buffer of `allocator`.
// Rounds to nearest, ties to even. \error kResourceExhausted.
StatusOr<Tensor> ConvertFloating(const Tensor& value, DType to, Allocator* allocator);

struct Quantized {
  Tensor values;  // int8
  Tensor scales;
};
// `value` as int8 with a scale for each channel. \error kInvalidArgument if a value is not finite;
//   kResourceExhausted.
StatusOr<Quantized> Quantize(const Tensor& value, Allocator* allocator);

// The values that a variable has by what was sent: in spec.decoded_dtype(). `scales` is that of
// spec.scales, or empty. \error kResourceExhausted.
StatusOr<Tensor> Decode(const VariableSpec& spec, const Tensor& value, const Tensor& scales);

}  // namespace ramet
