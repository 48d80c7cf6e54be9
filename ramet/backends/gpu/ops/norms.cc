#include <algorithm>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kNormGroup = 128;
// Neighbors that read together.
constexpr int64_t kMaxChannelsPerGroup = 32;
constexpr int64_t kElementsPerItem = 16;
constexpr int64_t kMaxNormChunks = 256;
constexpr int64_t kJoinLanes = 32;

// How the elements of channels are distributed over work groups.
struct NormLaunch {
  explicit NormLaunch(const linalg::NormGeometry& g) {
    int64_t per_group = 1;
    while (g.inner == 1 && per_group < std::min(kMaxChannelsPerGroup, g.channels)) per_group *= 2;
    lanes = kNormGroup / per_group;
    const int64_t wanted = g.count() / (lanes * kElementsPerItem);
    chunk = CeilDivide(g.count(), std::clamp<int64_t>(wanted, 1, kMaxNormChunks));
    chunks = CeilDivide(g.count(), chunk);
    size.groups[0] = static_cast<uint32_t>(CeilDivide(g.channels, per_group));
    size.groups[1] = static_cast<uint32_t>(chunks);
    size.group_size[0] = kNormGroup;
    joined.groups[0] = static_cast<uint32_t>(CeilDivide(g.channels, kNormGroup / kJoinLanes));
    joined.group_size[0] = kNormGroup;
  }
  int64_t lanes, chunk, chunks;
  LaunchSize size, joined;
};

// The results of all chunks: tensors of [chunks, channels]. The result of a single chunk is final.
StatusOr<Tensor> ChunkResults(GpuDevice& device, const NormLaunch& launch,
                              const linalg::NormGeometry& g, const Tensor& result) {
  if (launch.chunks == 1) return result;
  return Temporary(device, kFloat, Shape{launch.chunks, g.channels});
}

}  // namespace

Status BatchMoments(GpuDevice& device, const linalg::NormGeometry& g, const Tensor& x, Tensor& mean,
                    Tensor& variance) {
  const NormLaunch launch(g);
  RAMET_ASSIGN_OR_RETURN(const Tensor means, ChunkResults(device, launch, g, mean));
  RAMET_ASSIGN_OR_RETURN(const Tensor squares, ChunkResults(device, launch, g, variance));
  RAMET_RETURN_IF_ERROR(
      ForGroups(device, kNormSumsProgram, "moments", NormDefinitions(x.dtype()), launch.size,
                {x, means, squares, Index{g.channels}, Index{g.inner}, Index{g.count()},
                 Index{launch.chunk}, static_cast<int32_t>(launch.lanes)}));
  if (launch.chunks == 1) return OkStatus();
  return ForGroups(device, kNormSumsProgram, "join_moments", NormDefinitions(x.dtype()),
                   launch.joined,
                   {means, squares, mean, variance, Index{g.channels}, Index{g.count()},
                    Index{launch.chunk}, Index{launch.chunks}, static_cast<int32_t>(kJoinLanes)});
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

namespace {

// Sets the gradients of scale and offset.
Status GradientSums(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                    const Tensor& x, const Tensor& dy, Tensor& dscale, Tensor& doffset) {
  const NormLaunch launch(g);
  RAMET_ASSIGN_OR_RETURN(const Tensor products, ChunkResults(device, launch, g, dscale));
  RAMET_ASSIGN_OR_RETURN(const Tensor sums, ChunkResults(device, launch, g, doffset));
  RAMET_RETURN_IF_ERROR(ForGroups(
      device, kNormSumsProgram, "gradient_sums", NormDefinitions(x.dtype()), launch.size,
      {x, dy, v.mean, v.variance, products, sums, v.epsilon, Index{g.channels}, Index{g.inner},
       Index{g.count()}, Index{launch.chunk}, static_cast<int32_t>(launch.lanes)}));
  if (launch.chunks == 1) return OkStatus();
  return ForGroups(device, kNormSumsProgram, "join_sums", NormDefinitions(x.dtype()), launch.joined,
                   {sums, products, v.variance, dscale, doffset, v.epsilon, Index{g.channels},
                    Index{launch.chunks}, static_cast<int32_t>(kJoinLanes)});
}

}  // namespace

Status BatchNormGrad(GpuDevice& device, const linalg::NormGeometry& g, const NormVectors& v,
                     bool training, const Tensor& x, const Tensor& dy, Tensor& dx, Tensor& dscale,
                     Tensor& doffset) {
  RAMET_RETURN_IF_ERROR(GradientSums(device, g, v, x, dy, dscale, doffset));
  const int64_t n = g.elements();
  return ForEach(device, kNormProgram, "x_gradient", NormDefinitions(x.dtype()), n,
                 {x, dy, v.mean, v.variance, v.scale, dscale, doffset, dx, v.epsilon,
                  Index{g.channels}, Index{g.inner}, Index{training ? g.count() : 0}, Index{n}});
}

}  // namespace ramet::gpu
