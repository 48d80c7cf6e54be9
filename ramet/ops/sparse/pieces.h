#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/ops/sparse/sparse.h"

// Taking a sparse tensor apart into rows, slices along dimension 0, and stacking sparse tensors.

namespace ramet {

// A SparsePiece is a sparse tensor that owns its parts.
struct SparsePiece {
  Tensor indices;
  Tensor values;
  std::vector<int64_t> dims;
};

// Checks the ranks of the three parts.
// \error kInvalidArgument: "Input indices should be a matrix but received shape [2]" and others.
Status CheckPieceRanks(const SparseView& s);
// Checks that there is a dimension besides the rows.
// \error kInvalidArgument: "Rank of input SparseTensor should be > 1, but saw rank: 1".
Status CheckPieceRank(const SparseView& s);
// Calls `use` for each row of a sparse tensor whose elements are sorted and within its shape.
Status ForEachPiece(KernelContext& c, const SparseView& s,
                    const std::function<Status(int64_t row, const SparsePiece& piece)>& use);
// Stacks sparse tensors of one dtype along the leading dimensions `batch` and writes outputs 0 to
// 2. No dimensions of the batch means a single sparse tensor. Each dimension of the result is the
// largest of the pieces. `what` is "shape" or "rank", for messages.
// \error kInvalidArgument: "Inconsistent shape across SparseTensors"; the shape of the result is
//   invalid.
Status StackPieces(KernelContext& c, const std::vector<SparsePiece>& pieces, const Shape& batch,
                   std::string_view what);

}  // namespace ramet
