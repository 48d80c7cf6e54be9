#include <bit>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

constexpr int64_t kRowGroup = 128;

// How rows are distributed over work groups.
struct RowLaunch {
  explicit RowLaunch(int64_t rows, int64_t columns) {
    const auto wanted = static_cast<uint64_t>(std::clamp<int64_t>(columns / 4, 1, kRowGroup));
    lanes = static_cast<int32_t>(std::bit_ceil(wanted));
    size.groups[0] = static_cast<uint32_t>(CeilDivide(rows, kRowGroup / lanes));
    size.group_size[0] = kRowGroup;
  }
  int32_t lanes;
  LaunchSize size;
};

}  // namespace

Status MapRows(GpuDevice& device, Rows function, int64_t columns, const Tensor& x, Tensor& y) {
  const int64_t rows = x.num_elements() / columns;
  const RowLaunch launch(rows, columns);
  return ForGroups(device, kRowsProgram, "softmax", RowsDefinitions(x.dtype(), kInt32), launch.size,
                   {x, y, Index{rows}, Index{columns}, launch.lanes,
                    static_cast<int32_t>(function == Rows::kLogSoftmax)});
}

Status SoftmaxXent(GpuDevice& device, const Tensor& logits, const Tensor& labels, Tensor& loss,
                   Tensor& backprop) {
  const int64_t rows = logits.dim(0), columns = logits.dim(1);
  if (rows == 0) return OkStatus();
  const bool is_sparse = labels.rank() == 1;
  const RowLaunch launch(rows, columns);
  return ForGroups(device, kRowsProgram, is_sparse ? "sparse_xent" : "xent",
                   RowsDefinitions(logits.dtype(), is_sparse ? labels.dtype() : kInt32),
                   launch.size,
                   {logits, labels, loss, backprop, Index{rows}, Index{columns}, launch.lanes});
}

}  // namespace ramet::gpu
