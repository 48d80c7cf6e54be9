#include <bit>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/gpu_rows.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kTopGroup = 128;
// About how many steps of a work group cost as much as sorting the rows, with its many launches.
constexpr int64_t kMaxRoundSteps = 8192;

// Sorts the indices of each row with a bitonic network.
Status SortRows(GpuDevice& device, const Definitions& definitions, int64_t rows, int64_t n,
                int64_t size, const Tensor& x, Tensor& order) {
  RAMET_RETURN_IF_ERROR(ForEach(device, kTopKProgram, "top_start", definitions, rows * size,
                                {order, Index{size}, Index{rows * size}}));
  const int64_t pairs = rows * size / 2;
  for (int64_t run = 2; run <= size; run *= 2) {
    for (int64_t stride = run / 2; stride > 0; stride /= 2) {
      RAMET_RETURN_IF_ERROR(
          ForEach(device, kTopKProgram, "top_exchange", definitions, pairs,
                  {x, order, Index{n}, Index{size}, Index{run}, Index{stride}, Index{pairs}}));
    }
  }
  return OkStatus();
}

}  // namespace

Status GpuRows::TopOfRows(const Tensor& x, Tensor& values, Tensor& indices) const {
  GpuDevice& device = rows_device_;
  const int64_t n = x.dim(x.rank() - 1), k = values.dim(values.rank() - 1);
  const int64_t rows = x.num_elements() / n;
  const Definitions definitions = TopKDefinitions(x.dtype(), indices.dtype());
  constexpr int64_t kStepsOfTree = 16;
  if (k * (kStepsOfTree + n / kTopGroup) <= kMaxRoundSteps) {
    LaunchSize size;
    size.groups[0] = static_cast<uint32_t>(rows);
    size.group_size[0] = kTopGroup;
    return ForGroups(device, kTopKProgram, "top_rounds", definitions, size,
                     {x, values, indices, Index{n}, Index{k}});
  }
  const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
  RAMET_ASSIGN_OR_RETURN(Tensor order, Temporary(device, kInt32, Shape{rows, size}));
  RAMET_RETURN_IF_ERROR(SortRows(device, definitions, rows, n, size, x, order));
  return ForEach(device, kTopKProgram, "top_take", definitions, rows * k,
                 {x, order, values, indices, Index{n}, Index{size}, Index{k}, Index{rows * k}});
}

}  // namespace ramet::gpu
