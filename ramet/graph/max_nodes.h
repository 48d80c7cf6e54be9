#pragma once

#include <cstddef>

#include "ramet/base/status.h"

namespace ramet {

// Checks that a graph of `present` nodes has room for `added` more.
// \error kResourceExhausted: it does not.
inline Status CheckMaxNodes(size_t present, size_t added) {
  constexpr size_t kMaxNodes = size_t{1} << 30;
  if (present + added <= kMaxNodes) return OkStatus();
  return ResourceExhausted("a graph cannot hold ", present, " + ", added, " nodes; the limit is ",
                           kMaxNodes);
}

}  // namespace ramet
