#pragma once

#include <span>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// Operations on many tensors at once, shared by tensor arrays and tensor lists.

// Set output 0 to the tensors joined along a new first dimension (stack; all have the shape
// `element`) or along their existing first dimension (concat; `row` is the rest of their shapes).
// \error kInvalidArgument: the size overflows.
// \error kResourceExhausted: out of memory.
Status OutputStack(KernelContext& c, DType dtype, const Shape& element,
                   std::span<const Tensor> values);
Status OutputConcat(KernelContext& c, DType dtype, const Shape& row,
                    std::span<const Tensor> values);

// Returns the rows of `value`, of rank 1 or more, as one tensor each.
// \error kResourceExhausted: out of memory, or more than 2^24 rows without elements.
StatusOr<std::vector<Tensor>> Rows(KernelContext& c, const Tensor& value);
// Splits `value` into pieces of lengths[i] rows each; the lengths must add up to the rows of
// `value`.
// \error kResourceExhausted: out of memory.
StatusOr<std::vector<Tensor>> Pieces(KernelContext& c, const Tensor& value,
                                     std::span<const int64_t> lengths);

}  // namespace ramet
