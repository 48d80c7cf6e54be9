#include <algorithm>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
Status BatchMoments(GpuDevice& device, const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                    Tensor& variance) {
  RAMET_RETURN_IF_ERROR(ReduceChannels(device, g, x, g.count(), mean));
  return ReduceCentered(device, g, x, mean, nullptr, g.count(), variance);
}

Status RunningMoments(GpuDevice& device, const linalg::NormGeometry& g, float factor,
                      const Tensor* old[2], const Tensor* batch[2], Tensor* running[2]) {
  const auto count = static_cast<float>(g.count());
  const float unbiased = count / static_cast<float>(std::max<int64_t>(1, g.count() - 1));
  // Without elements, the old moments are not read.
  const bool has_old = old[0]->num_elements() > 0;
  return ForEach(device, kNormProgram, "running", NormDefinitions(kFloat), g.channels,
                 {has_old ? *old[0] : *batch[0], has_old ? *old[1] : *batch[1], *batch[0],
                  *batch[1], *running[0], *running[1], factor, unbiased, Index{g.channels}});
}

Status BatchNormalize(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                      const Tensor& x, const Tensor& offset, Tensor& y) {
  const int64_t n = g.elements();
  return ForEach(device, kNormProgram, "normalize_batch", NormDefinitions(x.dtype()), n,
                 {x, v.mean, v.variance, v.scale, offset, y, v.epsilon, Index{g.channels},
                  Index{g.inner}, Index{n}});
}

Status BatchNormGrad(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                     bool training, const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                     Tensor& doffset) {
  RAMET_ASSIGN_OR_RETURN(Tensor products, Temporary(device, kFloat, Shape{g.channels}));
  RAMET_RETURN_IF_ERROR(ReduceCentered(device, g, x, v.mean, &dy, 1, products));
  RAMET_RETURN_IF_ERROR(ReduceChannels(device, g, dy, 1, doffset));
  RAMET_RETURN_IF_ERROR(ForEach(device, kNormProgram, "scale_gradient", NormDefinitions(x.dtype()),
                                g.channels,
                                {products, v.variance, dscale, v.epsilon, Index{g.channels}}));
  const int64_t n = g.elements();
  return ForEach(device, kNormProgram, "x_gradient", NormDefinitions(x.dtype()), n,
                 {x, dy, v.mean, v.variance, v.scale, dscale, doffset, dx, v.epsilon,
                  Index{g.channels}, Index{g.inner}, Index{training ? g.count() : 0}, Index{n}});
}

}  // namespace ramet::gpu
