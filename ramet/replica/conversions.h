#pragma once

#include <cstdint>

#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// The format in which floating-point values are sent. Other values are sent as they are.
enum class Conversion : uint8_t {
  kNone,
  kBFloat16,
  kHalf,
  kInt8,  // One scale per channel (last dimension), such that its largest magnitude becomes 127.
};

// Returns the dtype of a value of `dtype` after `conversion`: `dtype` itself unless it is a
// floating-point type.
DType ConvertedDType(DType dtype, Conversion conversion);
// Returns the dtype of the scales for values of `dtype` that are converted to int8: double for
// double, otherwise float.
DType ScalesDType(DType dtype);
// Returns the shape of the scales: the last dimension, or one element for a scalar.
Shape ScalesShape(const Shape& shape);

// Converts `value`, which is floating-point and in host memory, to bfloat16 or half in a buffer of
// `allocator`. Rounds to nearest, ties to even.
// \error kResourceExhausted: the buffer cannot be allocated.
StatusOr<Tensor> ConvertFloating(const Tensor& value, DType to, Allocator* allocator);

struct Quantized {
  Tensor values;  // int8
  Tensor scales;
};
// Converts `value` to int8 with one scale per channel.
// \error kInvalidArgument: a value is not finite.
// \error kResourceExhausted: a buffer cannot be allocated.
StatusOr<Quantized> Quantize(const Tensor& value, Allocator* allocator);

// Converts a received value back to spec.decoded_dtype(). `scales` is the value of spec.scales, or
// empty if there are none.
// \error kResourceExhausted: the buffer cannot be allocated.
StatusOr<Tensor> Decode(const VariableSpec& spec, const Tensor& value, const Tensor& scales);

}  // namespace ramet
