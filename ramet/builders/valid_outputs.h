#pragma once

#include <algorithm>
#include <vector>

#include "ramet/graph/operation.h"

namespace ramet {

// Reports whether no output is the invalid result of a failed builder call.
inline bool AllValid(const std::vector<Output>& outputs) {
  return std::ranges::all_of(outputs, &Output::valid);
}

}  // namespace ramet
