#pragma once

#include "ramet/op/shape_context.h"

namespace ramet {

// Sets output 0 to `shape` and the other outputs, the bounds of its range, to scalars.
inline Status SetQuantizedShape(ShapeContext& c, Shape shape) {
  c.set_output(0, std::move(shape));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, Shape());
  return OkStatus();
}

// Output 0 has the shape of input 0.
inline Status QuantizedLikeInput(ShapeContext& c) { return SetQuantizedShape(c, c.input(0)); }

}  // namespace ramet
