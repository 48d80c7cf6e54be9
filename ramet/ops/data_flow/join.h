#pragma once

#include <span>
#include <vector>

#include "ramet/op/kernel.h"

namespace ramet {

// What tensor arrays and tensor lists do with many tensors at once.

// Joins tensors along a new first dimension (stack: all of shape `element`) or along their first
// one (concat: `row` is the rest of their shapes), as output 0.
// \error kResourceExhausted; kInvalidArgument if the size overflows.
Status OutputStack(KernelContext& c, DType dtype, const Shape& element,
                   std::span<const Tensor> values);
Status OutputConcat(KernelContext& c, DType dtype, const Shape& row,
                    std::span<const Tensor> values);

// The rows of `value` (of rank 1 or more), each a tensor.
// \error kResourceExhausted when out of memory, or if there are more than 2^24 rows without
// elements.
StatusOr<std::vector<Tensor>> Rows(KernelContext& c, const Tensor& value);
// `value` in pieces of lengths[i] rows each, which add up to its rows. \error kResourceExhausted.
StatusOr<std::vector<Tensor>> Pieces(KernelContext& c, const Tensor& value,
                                     std::span<const int64_t> lengths);

}  // namespace ramet
