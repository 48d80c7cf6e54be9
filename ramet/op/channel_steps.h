#pragma once

#include <span>

#include "ramet/linalg/channel_epilogue.h"
#include "ramet/op/epilogue.h"

namespace ramet {

// Fills in the epilogue that does what `steps` do to a result of this shape. Their operands are the
// inputs from `first_input` on. Returns false if an operand does not fit or is not float.
bool ResolveChannelSteps(std::span<const ChannelStep> steps, KernelContext& c, int first_input,
                         const Shape& shape, linalg::ChannelEpilogue* epilogue);

}  // namespace ramet
