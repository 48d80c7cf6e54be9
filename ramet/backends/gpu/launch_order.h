#pragma once

#include <cstdint>
#include <vector>

#include "ramet/backends/gpu/launch_sequence.h"

namespace ramet::gpu {

// Returns for each element of a sequence the earlier elements that it has to follow: those that
// write a block that it uses, and those that use a block that it writes. An element that one of
// these has to follow itself is left out.
std::vector<std::vector<uint32_t>> OrderOf(const LaunchSequence& sequence);

}  // namespace ramet::gpu
