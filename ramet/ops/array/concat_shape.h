#pragma once

#include "ramet/op/shape_context.h"

namespace ramet {

// The input positions of a concatenation op: `n` values starting at `first`, and the axis.
struct ConcatArgs {
  int axis_input;
  int first;
  int n;
};

// Sets output 0 to the shape of the concatenated values, as far as it is known.
// \error kInvalidArgument: the axis is not a scalar or out of range; the shapes do not fit.
Status InferConcatShape(ShapeContext& c, const ConcatArgs& args);

}  // namespace ramet
