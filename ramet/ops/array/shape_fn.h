#pragma once

#include <optional>

#include "ramet/op/shape_context.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// Returns the value of scalar input i if it is known when the graph is built.
std::optional<int64_t> KnownScalar(ShapeContext& c, int i);
// Returns the values of vector input i if they are known when the graph is built.
// \error kInvalidArgument: the input is known not to be a vector.
StatusOr<std::optional<Dims>> KnownVector(ShapeContext& c, int i);
// Sets output 0 to the shape that the values of input `i` describe.
template <int i>
Status ShapeFromInput(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(i));
  c.set_output(0, std::move(shape));
  return OkStatus();
}
// Sets each output to the shape of the input with the same index.
Status PairwiseShapes(ShapeContext& c);

}  // namespace ramet
