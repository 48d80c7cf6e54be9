#pragma once

#include <vector>

#include "ramet/ops/sparse/sparse.h"

// Merging the elements of two sparse tensors of the same shape by their indices.

namespace ramet {

// One index of the union of two sparse tensors: the positions of its elements, or -1 for none.
struct MergeStep {
  int64_t a, b;
};

// Checks that both have the same rank and dimensions.
// \error kInvalidArgument: "Operands do not have the same ranks" or "Operands' shapes do not
//   match".
Status CheckSameDims(const SparseView& a, const SparseView& b);
// Returns the union of the indices of both, which are sorted. Indices that are not sorted give an
// unspecified order.
std::vector<MergeStep> MergeIndices(const SparseView& a, const SparseView& b);
// Writes the indices of the steps to `out`, [steps, rank].
void WriteIndices(const std::vector<MergeStep>& steps, const SparseView& a, const SparseView& b,
                  Tensor& out);

}  // namespace ramet
