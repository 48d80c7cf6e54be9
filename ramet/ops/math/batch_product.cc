#include "ramet/ops/math/batch_product.h"

#include <array>

#include "ramet/linalg/gemm.h"

namespace ramet {

// Goes through the result in order; neighbors along the last collapsed dimension are one call.
void MultiplyBatches(const BatchProduct& t, const linalg::BroadcastPlan& plan) {
  const int64_t width = linalg::TypeSize(t.type);
  const int last = plan.ndims() - 1;
  const int64_t run = plan.dim(last);
  const int64_t x_size = t.m * t.k, y_size = t.k * t.n, z_size = t.m * t.n;
  linalg::GemmOptions options;
  options.conjugate_a = t.conjugate_x;
  options.conjugate_b = t.conjugate_y;
  std::array<int64_t, linalg::BroadcastPlan::kMaxDims> index;
  index.fill(0);
  int64_t x = 0, y = 0;
  for (int64_t done = 0; done < plan.size(); done += run) {
    linalg::BatchGemm(t.type, t.transpose_x, t.transpose_y, run, t.m, t.n, t.k,
                      t.x + x * x_size * width, plan.stride(0, last) * x_size,
                      t.y + y * y_size * width, plan.stride(1, last) * y_size,
                      t.z + done * z_size * width, z_size, options);
    for (int d = last - 1; d >= 0; --d) {
      x += plan.stride(0, d);
      y += plan.stride(1, d);
      if (++index[d] < plan.dim(d)) break;
      x -= plan.dim(d) * plan.stride(0, d);
      y -= plan.dim(d) * plan.stride(1, d);
      index[d] = 0;
    }
  }
}

}  // namespace ramet
