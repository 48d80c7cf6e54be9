#pragma once

#include <string_view>

#include "handles.h"
#include "ramet/op/schema.h"

namespace ramet::fuzz {

// Draws the shape of an op's main input: an image for ops with windows, any shape for others.
Shape DrawBaseShape(Random& random, const OpSchema& schema);
// Draws a shape for the argument of that name of `context.op`.
Shape DrawArgumentShape(DraftContext& context, std::string_view arg, DType dtype);
// Draws a value for an argument. The name distinguishes axes, shapes, indices, sizes, rates and
// file names from data.
Tensor DrawArgument(DraftContext& context, std::string_view arg, DType dtype);

}  // namespace ramet::fuzz
