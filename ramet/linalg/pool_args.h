#pragma once

#include "ramet/linalg/pooling.h"

// Internal to linalg: arguments of the loops of pooling.

namespace ramet::linalg {

enum class PoolKind : int { kMax, kArgmax, kMaxGrad, kMaxGradGrad, kAvg, kAvgGrad };
inline constexpr int kNumPoolKinds = static_cast<int>(PoolKind::kAvgGrad) + 1;

// Channels last. x has the input's shape. dy is the incoming gradient, with the input's shape for
// kMaxGradGrad and the output's otherwise. y is the result. argmax is for kArgmax only.
struct PoolArgs {
  const PoolGeometry& g;
  const void* x;
  const void* dy;
  void* y;
  int64_t* argmax;
};

}  // namespace ramet::linalg
