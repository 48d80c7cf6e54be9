#pragma once

#include <span>
#include <vector>

#include "ramet/ops/dataset/dataset.h"

namespace ramet {

// Returns a copy of row `i` of a tensor whose rank is at least 1.
// \error as Tensor::Allocate.
StatusOr<Tensor> RowOf(const Tensor& t, int64_t i);

// Returns one element whose components are those of `elements`, stacked along a new first
// dimension. All elements have components of the same dtypes.
// \error kInvalidArgument: "Cannot batch tensors with different shapes in component 0. First
//   element had shape [1] and element 1 had shape [2].".
StatusOr<Element> Stack(std::span<const Element> elements);

// Like Stack, after padding each component i to the smallest shape that fits all elements and
// `shapes[i]` with the scalar `values[i]`.
// \error kDataLoss: a component is larger than its shape.
// \error kInvalidArgument: the rank of a component is not that of its shape.
StatusOr<Element> StackPadded(std::span<const Element> elements, std::span<const Shape> shapes,
                              std::span<const Tensor> values);

}  // namespace ramet
