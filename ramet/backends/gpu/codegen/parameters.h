#pragma once

#include <string_view>
#include <vector>

namespace ramet::gpu {

// Returns for each parameter of a kernel whether it is memory that the kernel only reads: a pointer
// to GLOBAL const. A parameter that is a macro of the source stands for the parameters in it.
// Returns nothing if the source has no such kernel.
std::vector<bool> OnlyReadParameters(std::string_view source, std::string_view kernel);

}  // namespace ramet::gpu
