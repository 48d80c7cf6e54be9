#pragma once

#include <array>
#include <cstdint>

#include "ramet/linalg/broadcast.h"

namespace ramet {

// Calls fn(i, offsets) for each element i of the result that `plan` describes; offsets[k] is the
// element of operand k to read. For element types that linalg does not support, such as strings.
template <int kOperands, class Fn>
void ForEachBroadcast(const linalg::BroadcastPlan& plan, Fn&& fn) {
  std::array<int64_t, linalg::BroadcastPlan::kMaxDims> index;
  index.fill(0);
  std::array<int64_t, kOperands> offsets = {};
  for (int64_t i = 0; i < plan.size(); ++i) {
    fn(i, offsets);
    for (int d = plan.ndims() - 1; d >= 0; --d) {
      for (int k = 0; k < kOperands; ++k) offsets[k] += plan.stride(k, d);
      if (++index[d] < plan.dim(d)) break;
      for (int k = 0; k < kOperands; ++k) offsets[k] -= plan.dim(d) * plan.stride(k, d);
      index[d] = 0;
    }
  }
}

}  // namespace ramet
