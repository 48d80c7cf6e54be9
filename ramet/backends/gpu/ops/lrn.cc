#include <algorithm>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/gpu_rows.h"

namespace ramet::gpu {
namespace {

// Returns how many neighbors there can be on each side.
Index RadiusOf(const NeighborNorm& norm, int64_t depth) {
  return Index{std::min(norm.radius, depth - 1)};
}

}  // namespace

Status GpuRows::NormalizeNeighbors(const NeighborNorm& norm, const Tensor& x, Tensor& y) const {
  const int64_t depth = x.dim(x.rank() - 1), n = x.num_elements();
  return ForEach(
      rows_device_, kLrnProgram, "lrn", LrnDefinitions(x.dtype()), n,
      {x, y, Index{depth}, RadiusOf(norm, depth), norm.bias, norm.alpha, norm.beta, Index{n}});
}

Status GpuRows::NormalizeNeighborsGrad(const NeighborNorm& norm, const Tensor& dy, const Tensor& x,
                                       const Tensor& y, Tensor& dx) const {
  const int64_t depth = x.dim(x.rank() - 1), n = x.num_elements();
  const Definitions definitions = LrnDefinitions(x.dtype());
  const Index radius = RadiusOf(norm, depth);
  RAMET_ASSIGN_OR_RETURN(Tensor norms, Temporary(rows_device_, kFloat, x.shape()));
  RAMET_RETURN_IF_ERROR(ForEach(rows_device_, kLrnProgram, "lrn_norms", definitions, n,
                                {x, norms, Index{depth}, radius, norm.bias, norm.alpha, Index{n}}));
  return ForEach(rows_device_, kLrnProgram, "lrn_grad", definitions, n,
                 {dy, x, y, norms, dx, Index{depth}, radius, norm.alpha, norm.beta, Index{n}});
}

}  // namespace ramet::gpu
