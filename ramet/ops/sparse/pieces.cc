#include "ramet/ops/sparse/pieces.h"

#include <algorithm>

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

// Returns the elements [first, last) of a sparse tensor without their first dimension.
StatusOr<SparsePiece> RowPiece(KernelContext& c, const SparseView& s, int64_t first, int64_t last) {
  const int64_t rank = s.rank() - 1;
  SparsePiece piece{{}, {}, {s.dims().begin() + 1, s.dims().end()}};
  RAMET_ASSIGN_OR_RETURN(piece.indices, c.AllocateTemp(kInt64, Shape{last - first, rank}));
  RAMET_ASSIGN_OR_RETURN(piece.values, c.AllocateTemp(s.values.dtype(), Shape{last - first}));
  int64_t* out = piece.indices.mutable_data<int64_t>();
  for (int64_t i = first; i < last; ++i) out = std::copy_n(s.row(i) + 1, rank, out);
  CopyElements(s.values, first, piece.values, 0, last - first);
  return piece;
}

// Returns the dimensions of all pieces together: the largest size of each.
StatusOr<std::vector<int64_t>> LargestDims(const std::vector<SparsePiece>& pieces, int batch_rank,
                                           std::string_view what) {
  std::vector<int64_t> dims = pieces[0].dims;
  for (size_t i = 1; i < pieces.size(); ++i) {
    const std::vector<int64_t>& own = pieces[i].dims;
    if (own.size() != dims.size()) {
      const bool counts_batch = what == "rank";
      const size_t added = counts_batch ? batch_rank : 0;
      return InvalidArgument("Inconsistent ", what,
                             " across SparseTensors: rank prior to SparseTensor[", i,
                             "] was: ", dims.size() + added, " but rank of SparseTensor[", i,
                             "] is: ", own.size() + added);
    }
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = std::max(dims[d], own[d]);
  }
  return dims;
}

void WriteBatchIndex(int64_t piece, const Shape& batch, int64_t* row) {
  for (int d = batch.rank() - 1; d >= 0; --d) {
    row[d] = piece % batch.dim(d);
    piece /= batch.dim(d);
  }
}

}  // namespace

Status CheckPieceRanks(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           s.indices.shape());
  }
  if (s.values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ", s.values.shape());
  }
  if (s.shape.rank() == 1) return OkStatus();
  return InvalidArgument("Input shape should be a vector but received shape ", s.shape.shape());
}

Status CheckPieceRank(const SparseView& s) {
  if (s.dims().size() > 1) return OkStatus();
  return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: ",
                         s.dims().size());
}

Status ForEachPiece(KernelContext& c, const SparseView& s,
                    const std::function<Status(int64_t row, const SparsePiece& piece)>& use) {
  RAMET_ASSIGN_OR_RETURN(const SparsePiece empty, RowPiece(c, s, 0, 0));
  int64_t first = 0;
  for (int64_t row = 0; row < s.dims()[0]; ++row) {
    int64_t last = first;
    while (last < s.count() && s.row(last)[0] == row) ++last;
    if (first == last) {
      RAMET_RETURN_IF_ERROR(use(row, empty));
      continue;
    }
    RAMET_ASSIGN_OR_RETURN(const SparsePiece piece, RowPiece(c, s, first, last));
    RAMET_RETURN_IF_ERROR(use(row, piece));
    first = last;
  }
  return OkStatus();
}

Status StackPieces(KernelContext& c, const std::vector<SparsePiece>& pieces, const Shape& batch,
                   std::string_view what) {
  RAMET_ASSIGN_OR_RETURN(std::vector<int64_t> dims, LargestDims(pieces, batch.rank(), what));
  const auto own = static_cast<int64_t>(dims.size()), rank = own + batch.rank();
  dims.insert(dims.begin(), batch.dims().begin(), batch.dims().end());
  if (batch.rank() > 0) RAMET_RETURN_IF_ERROR(DenseShapeOf(dims).status());
  int64_t count = 0;
  for (const SparsePiece& piece : pieces) count += piece.indices.dim(0);
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, pieces[0].values.dtype(), count, dims));
  int64_t at = 0;
  int64_t* row = out.indices->mutable_data<int64_t>();
  for (size_t p = 0; p < pieces.size(); ++p) {
    const SparsePiece& piece = pieces[p];
    CopyElements(piece.values, 0, *out.values, at, piece.values.dim(0));
    for (int64_t i = 0; i < piece.indices.dim(0); ++i, row += rank) {
      WriteBatchIndex(static_cast<int64_t>(p), batch, row);
      std::copy_n(piece.indices.data<int64_t>() + i * own, own, row + batch.rank());
    }
    at += piece.values.dim(0);
  }
  return OkStatus();
}

}  // namespace ramet
