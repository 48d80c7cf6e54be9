#pragma once

#include <string_view>

#include "handles.h"
#include "ramet/op/schema.h"

namespace ramet::fuzz {

// The shape of an op's main input: an image for ops with windows, else any.
Shape DrawBaseShape(Random& random, const OpSchema& schema);
// A shape for the argument of that name of `context.op`.
Shape DrawArgumentShape(DraftContext& context, std::string_view arg, DType dtype);
// A value for it: names tell axes, shapes, indices, sizes, rates and file names from data.
Tensor DrawArgument(DraftContext& context, std::string_view arg, DType dtype);

}  // namespace ramet::fuzz
