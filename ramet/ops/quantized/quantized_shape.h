#pragma once

#include "ramet/op/shape_context.h"

namespace ramet {

// Sets output 0 to `shape` and the other outputs, the bounds of its range, to scalars.
inline Status SetQuantizedShape(ShapeContext& c, Shape shape) {
  c.set_output(0, std::move(shape));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape());
  return OkStatus();
}

// Checks that the inputs from `first` on, the bounds of ranges, are scalars.
// \error kInvalidArgument: "Shape must be rank 0 but is rank 1".
inline Status CheckBoundShapes(ShapeContext& c, int first) {
  for (int i = first; i < c.num_inputs(); ++i) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return OkStatus();
}

// Output 0 has the shape of input 0; the other inputs are bounds.
inline Status QuantizedLikeInput(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 1));
  return SetQuantizedShape(c, c.input(0));
}

}  // namespace ramet
