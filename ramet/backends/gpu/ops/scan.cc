#include <bit>

#include "ramet/backends/gpu/ops/families.h"
#include "ramet/backends/gpu/ops/gpu_rows.h"

namespace ramet::gpu {
namespace {

// Shorter chunks do not pay for the two more launches that they need.
constexpr int64_t kMinScanChunk = 64;
constexpr int64_t kMaxScanChunks = 1024;
// With this many lines the items keep a GPU busy without chunks.
constexpr int64_t kEnoughLines = 8192;

int64_t ChunksOf(int64_t lines, int64_t n) {
  const int64_t wanted = std::min(CeilDivide(kEnoughLines, lines), kMaxScanChunks);
  return std::max<int64_t>(1, std::min(wanted, n / kMinScanChunk));
}

// Scans all lines; a line of more than one chunk starts each chunk with the total of those before.
Status ScanLines(GpuDevice& device, linalg::ReduceOp op, const ScanSizes& s, const Tensor& x,
                 Tensor& y) {
  const int64_t lines = s.outer * s.inner;
  const int64_t chunk = CeilDivide(s.n, ChunksOf(lines, s.n));
  const int64_t chunks = CeilDivide(s.n, chunk);
  const Definitions definitions = ScanDefinitions(op, x.dtype());
  const auto reverse = static_cast<int32_t>(s.reverse);
  const Index items{lines * chunks};
  Tensor starts = x;
  if (chunks > 1) {
    RAMET_ASSIGN_OR_RETURN(Tensor totals, Temporary(device, x.dtype(), Shape{chunks, lines}));
    RAMET_RETURN_IF_ERROR(ForEach(
        device, kScanProgram, "chunk_totals", definitions, items.value,
        {x, totals, Index{s.n}, Index{s.inner}, Index{lines}, Index{chunk}, reverse, items}));
    RAMET_ASSIGN_OR_RETURN(starts, Temporary(device, x.dtype(), Shape{chunks, lines}));
    RAMET_RETURN_IF_ERROR(ForEach(device, kScanProgram, "scan", definitions, lines,
                                  {totals, totals, starts, Index{chunks}, Index{lines},
                                   Index{lines}, Index{chunks}, 0, 1, 0, Index{lines}}));
  }
  return ForEach(device, kScanProgram, "scan", definitions, items.value,
                 {x, starts, y, Index{s.n}, Index{s.inner}, Index{lines}, Index{chunk}, reverse,
                  static_cast<int32_t>(s.exclusive), static_cast<int32_t>(chunks > 1), items});
}

constexpr int64_t kSegmentGroup = 128;
// An item combines about this many rows one after the other.
constexpr int64_t kRowsPerItem = 32;

}  // namespace

Status GpuRows::Clip(const Tensor& x, const Tensor& low, const Tensor& high, Tensor& y) const {
  const int64_t n = x.num_elements();
  return ForEach(rows_device_, kClipProgram, "clip", ClipDefinitions(x.dtype()), n,
                 {x, low, high, y, Index{low.num_elements() == n ? 1 : 0},
                  Index{high.num_elements() == n ? 1 : 0}, Index{n}});
}

Status GpuRows::Scan(linalg::ReduceOp op, const ScanSizes& s, const Tensor& x, Tensor& y) const {
  return ScanLines(rows_device_, op, s, x, y);
}

Status GpuRows::CombineSegments(linalg::ReduceOp op, const Tensor& starts, const Tensor& data,
                                Tensor& y) const {
  const int64_t outputs = y.num_elements();
  if (outputs == 0) return OkStatus();
  const int64_t segments = starts.num_elements() - 1;
  const int64_t inner = outputs / segments;
  RAMET_ASSIGN_OR_RETURN(const Tensor on_device, rows_device_.CopyFromHost(starts));
  const int64_t rows = data.num_elements() / inner / segments;  // on average
  const int64_t wanted = std::clamp<int64_t>(rows / kRowsPerItem, 1, kSegmentGroup);
  const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(wanted)));
  LaunchSize size;
  size.groups[0] = static_cast<uint32_t>(CeilDivide(outputs, kSegmentGroup / lanes));
  size.group_size[0] = kSegmentGroup;
  return ForGroups(rows_device_, kSegmentProgram, "segments", SegmentDefinitions(op, y.dtype()),
                   size,
                   {on_device, data, y, Index{inner}, Index{outputs}, static_cast<int32_t>(lanes)});
}

Status GpuRows::DrawClasses(const linalg::Philox& generator, const Tensor& logits,
                            Tensor& y) const {
  GpuDevice& device = rows_device_;
  const int64_t rows = logits.dim(0), classes = logits.dim(1), n = y.num_elements();
  const DType weight = device.driver().info().has_double ? kDouble : kFloat;
  RAMET_ASSIGN_OR_RETURN(Tensor weights, Temporary(device, weight, logits.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor cdf, Temporary(device, weight, logits.shape()));
  LaunchSize size;
  size.groups[0] = static_cast<uint32_t>(rows);
  size.group_size[0] = 128;
  RAMET_RETURN_IF_ERROR(ForGroups(device, kWeightsProgram, "class_weights",
                                  WeightsDefinitions(logits.dtype(), weight), size,
                                  {logits, weights, Index{classes}}));
  RAMET_RETURN_IF_ERROR(
      ScanLines(device, linalg::ReduceOp::kSum, {rows, classes, 1, false, false}, weights, cdf));
  const auto is_wide = static_cast<int32_t>(y.dtype() == kInt64);
  return StartOutsideOfGraphs(device, [&] {
    return ForEach(
        device, kRandomProgram, "draw_classes", RandomDefinitions(weight), n,
        {cdf, y, y, StateOf(generator), is_wide, Index{classes}, Index{y.dim(1)}, Index{n}});
  });
}

}  // namespace ramet::gpu
