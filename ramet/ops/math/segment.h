#pragma once

#include "ramet/op/shape_context.h"

namespace ramet {

// Infers the shape of UnsortedSegmentSum and its siblings: input 2 and the dimensions of input 0
// behind those of input 1.
// \error kInvalidArgument: "data.shape = ... does not start with segment_ids.shape = ..."; input 2
//   is not a scalar or is negative.
Status UnsortedSegmentShape(ShapeContext& c);

}  // namespace ramet
