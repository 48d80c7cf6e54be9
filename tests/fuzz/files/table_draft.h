#pragma once

#include <string>
#include <utility>
#include <vector>

#include "random.h"

namespace ramet::fuzz {

using Records = std::vector<std::pair<std::string, std::string>>;

// A sorted table of the records in their order. Every checksum is right but for a few. With `lies`,
// one thing in it is wrong: a key's shared prefix, a length, a restart, the order, a block's
// handle, the compression, or what a block inflates to.
std::string DraftTable(Random& random, const Records& records, bool lies);

}  // namespace ramet::fuzz
