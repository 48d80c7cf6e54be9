#pragma once

#include <string>
#include <string_view>

#include "ramet/backends/gpu/launch.h"
#include "ramet/linalg/broadcast.h"

namespace ramet::gpu {

// Source that programs which broadcast their operands begin with. If RANK is defined, one of
// kCompiledRanks, it defines the struct Broadcast and the function broadcast_at(plan, operand, i),
// which returns the position in an operand of element i of the result.
extern const std::string_view kBroadcastSource;

// Returns the argument of type Broadcast for a plan.
// \error kUnimplemented: the operands cannot be described by 8 dimensions.
StatusOr<LaunchArgument> BroadcastArgument(const linalg::BroadcastPlan& plan, int num_operands);

}  // namespace ramet::gpu
