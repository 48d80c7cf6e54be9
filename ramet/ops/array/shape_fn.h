#pragma once

#include <optional>

#include "ramet/op/shape_context.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// The value of scalar input i when it is known while building.
std::optional<int64_t> KnownScalar(ShapeContext& c, int i);
// The values of vector input i when they are known while building.
// \error kInvalidArgument if it is known to be no vector.
StatusOr<std::optional<Dims>> KnownVector(ShapeContext& c, int i);
// The dimension that adding both gives; unknown if one is, or if the sum overflows.
inline int64_t AddDims(int64_t a, int64_t b) {
  int64_t sum;
  return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? Shape::kUnknownDim : sum;
}
// Output 0 has the shape that the values of input `i` describe.
template <int i>
Status ShapeFromInput(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(i));
  c.set_output(0, std::move(shape));
  return OkStatus();
}
// Output i is like input i.
Status PairwiseShapes(ShapeContext& c);

}  // namespace ramet
