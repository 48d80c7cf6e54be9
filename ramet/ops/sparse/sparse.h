#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"
#include "ramet/ops/array/args.h"

// A sparse tensor is three tensors: `indices`, an int64 matrix with one row per element; `values`,
// a vector with as many elements; and `shape`, an int64 vector with the shape of the dense tensor.
// This header has the checks and the order of elements that all ops on them share.

namespace ramet {

// A SparseView is a view of the three tensors. The accessors require tensors whose ranks were
// checked.
struct SparseView {
  const Tensor& indices;
  const Tensor& values;
  const Tensor& shape;

  int64_t count() const { return indices.dim(0); }
  int rank() const { return static_cast<int>(indices.dim(1)); }
  const int64_t* row(int64_t i) const { return indices.data<int64_t>() + i * indices.dim(1); }
  std::span<const int64_t> dims() const { return shape.flat<int64_t>(); }
};

// Returns the view of inputs [first, first + 3).
inline SparseView SparseInputs(const KernelContext& c, int first = 0) {
  return {c.input(first), c.input(first + 1), c.input(first + 2)};
}

// Returns the shape with these dimensions.
// \error kInvalidArgument: a dimension is negative, there are more than Shape::kMaxRank, or their
//   product overflows.
StatusOr<Shape> DenseShapeOf(std::span<const int64_t> dims);
// Returns the text of a vector of at most `limit` elements: "2 3".
std::string Summarize(std::span<const int64_t> dims, size_t limit = 10);

// Checks that the parts fit together, with the messages of sparse tensor objects.
// \error kInvalidArgument: "vals must be a vec", "Order length must be SparseTensor rank." and
//   others.
Status CheckParts(const SparseView& s);
// Checks that the parts fit together, with the messages of TensorFlow's newer sparse ops.
// \error kInvalidArgument: "Sparse indices must be rank 2 but is rank 1" and others.
Status ValidateParts(const SparseView& s);
// Does ValidateParts and checks that each index is within the shape.
// \error kInvalidArgument: "Sparse index tuple indices[1, :] = [2, 0] is out of bounds".
Status ValidateUnordered(const SparseView& s);
// Checks that the indices are within the shape, in ascending order and distinct.
// \error kInvalidArgument: "indices[1] = [2,0] is out of bounds", "out of order" or "is repeated".
Status CheckOrdered(const SparseView& s);

// Compares two indices in row-major order: negative, zero or positive.
int CompareIndices(const int64_t* a, const int64_t* b, int rank);
// Returns the order in which the rows of `indices`, [n, rank], are sorted by the columns `by`. Rows
// that are equal in these columns keep their order.
std::vector<int64_t> SortedOrder(const int64_t* indices, int64_t n, int rank,
                                 std::span<const int> by);
// Returns that order for all columns.
std::vector<int64_t> SortedOrder(const int64_t* indices, int64_t n, int rank);

// Allocates outputs [first, first + 3) for `count` elements: indices, values and shape.
struct SparseOutputs {
  Tensor* indices;
  Tensor* values;
  Tensor* shape;
};
StatusOr<SparseOutputs> AllocateSparse(KernelContext& c, int first, DType dtype, int64_t count,
                                       std::span<const int64_t> dims);

// Infers the shapes of the three outputs [first, first + 3) of a sparse tensor of this rank (-1 for
// an unknown one).
void SetSparseOutputs(ShapeContext& c, int first, int64_t rank);
// Checks the ranks of inputs [first, first + 3) and returns the rank of the sparse tensor, or -1.
// \error kInvalidArgument: "Shape must be rank 2 but is rank 1".
StatusOr<int64_t> SparseInputRank(ShapeContext& c, int first);

}  // namespace ramet
