#include <algorithm>

#include "ramet/backends/gpu/ops/families.h"

namespace ramet::gpu {
namespace {

// Elements of 16 bytes move as two words.
size_t WidthOf(DType dtype) { return std::min<size_t>(DTypeSize(dtype), 8); }

Status Assign(GpuDevice& device, int64_t rows, int64_t row_size, const Tensor& indices,
              const Tensor& updates, int32_t is_scalar, Tensor& y) {
  const Definitions definitions = IndexDefinitions(WidthOf(y.dtype()), indices.dtype());
  RAMET_ASSIGN_OR_RETURN(Tensor last, Temporary(device, kInt32, Shape{rows}));
  RAMET_RETURN_IF_ERROR(SetZeros(device, last));
  const int64_t count = indices.num_elements();
  RAMET_RETURN_IF_ERROR(ForEach(device, kIndexProgram, "last_update", definitions, count,
                                {indices, last, Index{rows}, Index{count}}));
  const int64_t n = count * row_size;
  return ForEach(device, kIndexProgram, "assign", definitions, n,
                 {indices, last, updates, y, Index{rows}, Index{row_size}, is_scalar, Index{n}});
}

// Combines rows of y with updates, in a wider copy if GPUs have no atomic functions for its dtype.
Status CombineRows(GpuDevice& device, RowUpdate update, int64_t rows, int64_t row_size,
                   const Tensor& indices, const Tensor& updates, int32_t is_scalar, Tensor& y) {
  const Definitions definitions = RowSumDefinitions(y.dtype(), indices.dtype());
  const DType sum = RowSumType(y.dtype());
  const bool in_place = DTypeSize(sum) == DTypeSize(y.dtype());
  const int64_t size = y.num_elements();
  Tensor sums = y;
  if (!in_place) {
    RAMET_ASSIGN_OR_RETURN(sums, Temporary(device, sum, y.shape()));
    RAMET_RETURN_IF_ERROR(
        ForEach(device, kRowSumProgram, "widen", definitions, size, {y, sums, Index{size}}));
  }
  const int64_t n = indices.num_elements() * row_size;
  if (update == RowUpdate::kAdd || update == RowUpdate::kSub) {
    const int32_t sign = update == RowUpdate::kSub ? -1 : 1;
    RAMET_RETURN_IF_ERROR(
        ForEach(device, kRowSumProgram, "add", definitions, n,
                {indices, updates, sums, Index{rows}, Index{row_size}, is_scalar, sign, Index{n}}));
  } else {
    RAMET_RETURN_IF_ERROR(
        ForEach(device, kRowCombineProgram, "combine",
                RowCombineDefinitions(update, y.dtype(), indices.dtype()), n,
                {indices, updates, sums, Index{rows}, Index{row_size}, is_scalar, Index{n}}));
  }
  if (in_place) return OkStatus();
  return ForEach(device, kRowSumProgram, "narrow", definitions, size, {sums, y, Index{size}});
}

// Returns how many words of at most 8 bytes an element has.
int64_t WordsOf(DType dtype) { return DTypeSize(dtype) == 16 ? 2 : 1; }

}  // namespace

Status GatherRows(GpuDevice& device, const GatherSizes& s, const Tensor& params,
                  const Tensor& indices, Tensor& y) {
  const int64_t words = WordsOf(y.dtype());
  const int64_t n = y.num_elements() * words;
  if (n == 0) return OkStatus();
  if (params.num_elements() == 0) return SetZeros(device, y);
  return ForEach(device, kIndexProgram, "gather",
                 IndexDefinitions(WidthOf(y.dtype()), indices.dtype()), n,
                 {params, indices, y, Index{s.outer}, Index{s.rows}, Index{s.inner * words},
                  Index{s.picks}, Index{n}});
}

Status UpdateRows(GpuDevice& device, RowUpdate update, int64_t rows, int64_t row_size,
                  const Tensor& indices, const Tensor& updates, Tensor& y) {
  if (y.num_elements() == 0 || indices.num_elements() == 0) return OkStatus();
  const int32_t is_scalar = updates.num_elements() != indices.num_elements() * row_size;
  if (update == RowUpdate::kAssign) {
    return Assign(device, rows, row_size, indices, updates, is_scalar, y);
  }
  return CombineRows(device, update, rows, row_size, indices, updates, is_scalar, y);
}

StatusOr<Tensor> RowsOfTuples(GpuDevice& device, const Tensor& tuples,
                              std::span<const int64_t> dims) {
  if (dims.size() > kMaxTupleDims) {
    return Unimplemented("index tuples of ", dims.size(), " elements; GPUs support ", kMaxTupleDims,
                         ", so place the operation on the CPU");
  }
  TupleDims t = {};
  std::ranges::copy(dims, t.sizes);
  t.depth = static_cast<int32_t>(dims.size());
  int64_t n = 1;
  for (int d = 0; d + 1 < tuples.rank(); ++d) n *= tuples.dim(d);
  RAMET_ASSIGN_OR_RETURN(Tensor rows, Temporary(device, kInt64, Shape{n}));
  if (dims.empty()) {
    RAMET_RETURN_IF_ERROR(SetZeros(device, rows));
    return rows;
  }
  RAMET_RETURN_IF_ERROR(ForEach(device, kIndexProgram, "rows_of_tuples",
                                IndexDefinitions(8, tuples.dtype()), n,
                                {tuples, rows, t, Index{n}}));
  return rows;
}

Status SetHot(GpuDevice& device, int64_t depth, int64_t inner, const Tensor& indices,
              const Tensor& on, Tensor& y) {
  const int64_t n = indices.num_elements();
  return ForEach(device, kIndexProgram, "hot",
                 IndexDefinitions(WidthOf(y.dtype()), indices.dtype()), n,
                 {indices, on, y, Index{depth}, Index{inner}, Index{n}});
}

}  // namespace ramet::gpu
