#pragma once

#include <string>
#include <utility>
#include <vector>

#include "random.h"

namespace ramet::fuzz {

using Records = std::vector<std::pair<std::string, std::string>>;

// Returns a sorted table of the records, in the given order. Nearly all checksums are right. With
// `lies`, one thing in it is wrong: a key's shared prefix, a length, a restart, the order, a
// block's handle, the compression, or the content of a compressed block.
std::string DraftTable(Random& random, const Records& records, bool lies);

}  // namespace ramet::fuzz
