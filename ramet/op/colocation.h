#pragma once

#include <string_view>

namespace ramet {

// The prefix of a colocation group in the attr _class. The rest is the name of the node that leads
// the group.
inline constexpr std::string_view kColocationPrefix = "loc:@";

}  // namespace ramet
