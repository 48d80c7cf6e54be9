#pragma once

#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/types.h"

namespace ramet {

// Products of stacks of matrices: z = op(x) * op(y), x [..., m, k] (or [..., k, m] with
// transpose_x), y [..., k, n] (or [..., n, k]), z [..., m, n]. All dense.
struct BatchProduct {
  linalg::Type type;
  bool transpose_x = false, transpose_y = false;
  bool conjugate_x = false, conjugate_y = false;  // complex types only
  int64_t m, n, k;
  const char* x;
  const char* y;
  char* z;
};

// Computes the products; `plan` broadcasts the stacks. If k is 0, z is set to zeros. If m or n is
// 0, nothing is read or written.
void MultiplyBatches(const BatchProduct& product, const linalg::BroadcastPlan& plan);

}  // namespace ramet
