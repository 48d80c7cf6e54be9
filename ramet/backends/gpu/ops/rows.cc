#include <bit>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/reduce_launch.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kMinRowGroup = 128;
constexpr int64_t kHeldElements = 4;  // HELD of kRowsProgram

// How rows are distributed over work groups.
struct RowLaunch {
  RowLaunch(GpuDevice& device, int64_t rows, int64_t columns) {
    const int64_t max_group = ReduceDevice::Of(device.driver().info()).MaxGroup();
    const auto wanted = static_cast<uint64_t>(CeilDivide(columns, kHeldElements));
    const int64_t row_lanes =
        std::min(static_cast<int64_t>(std::bit_ceil(std::max<uint64_t>(wanted, 1))), max_group);
    const int64_t group = std::max(row_lanes, std::min(kMinRowGroup, max_group));
    lanes = static_cast<int32_t>(row_lanes);
    size.groups[0] = static_cast<uint32_t>(CeilDivide(rows, group / row_lanes));
    size.group_size[0] = static_cast<uint32_t>(group);
  }
  int32_t lanes;
  LaunchSize size;
};

}  // namespace

Status MapRows(GpuDevice& device, Rows function, int64_t columns, const Tensor& x, Tensor& y) {
  const int64_t rows = x.num_elements() / columns;
  const RowLaunch launch(device, rows, columns);
  return ForGroups(device, kRowsProgram, "softmax", RowsDefinitions(x.dtype(), kInt32), launch.size,
                   {x, y, Index{rows}, Index{columns}, launch.lanes,
                    static_cast<int32_t>(function == Rows::kLogSoftmax)});
}

Status SoftmaxXent(GpuDevice& device, const Tensor& logits, const Tensor& labels, Tensor& loss,
                   Tensor& backprop) {
  const int64_t rows = logits.dim(0), columns = logits.dim(1);
  if (rows == 0) return OkStatus();
  const bool is_sparse = labels.rank() == 1;
  const RowLaunch launch(device, rows, columns);
  return ForGroups(device, kRowsProgram, is_sparse ? "sparse_xent" : "xent",
                   RowsDefinitions(logits.dtype(), is_sparse ? labels.dtype() : kInt32),
                   launch.size,
                   {logits, labels, loss, backprop, Index{rows}, Index{columns}, launch.lanes});
}

}  // namespace ramet::gpu
