#pragma once

#include "ramet/linalg/pooling.h"

// Internal to linalg: what the loops of pooling work on.

namespace ramet::linalg {

enum class PoolKind : int { kMax, kArgmax, kMaxGrad, kMaxGradGrad, kAvg, kAvgGrad };
inline constexpr int kNumPoolKinds = static_cast<int>(PoolKind::kAvgGrad) + 1;

// Channels last. x has the input's shape, dy what arrives (the input's shape for kMaxGradGrad, else
// the output's), y is the result; argmax belongs to kArgmax.
struct PoolArgs {
  const PoolGeometry& g;
  const void* x;
  const void* dy;
  void* y;
  int64_t* argmax;
};

}  // namespace ramet::linalg
