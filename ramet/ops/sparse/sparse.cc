#include "ramet/ops/sparse/sparse.h"

#include <algorithm>
#include <numeric>

namespace ramet {
namespace {

// The product that TensorFlow prints for an overflow: -1 if it does not even fit in 64 unsigned
// bits.
int64_t PrintedProduct(int64_t a, int64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(static_cast<uint64_t>(a), static_cast<uint64_t>(b), &product)) {
    return -1;
  }
  return static_cast<int64_t>(product);
}

std::string IndexText(const SparseView& s, int64_t i, std::string_view separator) {
  return StrCat("[", StrJoin(std::span(s.row(i), s.rank()), separator), "]");
}

bool IsInside(const SparseView& s, int64_t i) {
  for (int d = 0; d < s.rank(); ++d) {
    if (s.row(i)[d] < 0 || s.row(i)[d] >= s.dims()[d]) return false;
  }
  return true;
}

}  // namespace

StatusOr<Shape> DenseShapeOf(std::span<const int64_t> dims) {
  int64_t total = 1;
  for (const int64_t d : dims) {
    if (d < 0) return InvalidArgument("Expected shape dimensions to be non-negative, got ", d);
    int64_t product;
    if (!MultiplyNonNegative(total, d, &product)) {
      return InvalidArgument("Encountered overflow when multiplying ", total, " with ", d,
                             ", result: ", PrintedProduct(total, d));
    }
    total = product;
  }
  return Shape::Make(dims);
}

std::string Summarize(std::span<const int64_t> dims, size_t limit) {
  std::string text = StrJoin(dims.first(std::min(dims.size(), limit)), " ");
  return dims.size() > limit ? text + "..." : text;
}

Status CheckParts(const SparseView& s) {
  if (s.values.rank() != 1) {
    return InvalidArgument("vals must be a vec, but got: ", s.values.shape());
  }
  if (s.indices.rank() == 0 || s.indices.dim(0) != s.values.dim(0)) {
    return InvalidArgument("indices and values rows (indexing dimension) must match. (indices = ",
                           s.indices.rank() == 0 ? 0 : s.indices.dim(0),
                           ", values = ", s.values.dim(0), ")");
  }
  if (s.indices.rank() != 2) {
    return InvalidArgument("indices must be a matrix, but got: ", s.indices.shape());
  }
  if (s.shape.num_elements() != s.indices.dim(1)) {
    return InvalidArgument("Order length must be SparseTensor rank.");
  }
  return OkStatus();
}

Status ValidateParts(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Sparse indices must be rank 2 but is rank ", s.indices.rank());
  }
  if (s.values.rank() != 1) {
    return InvalidArgument("Sparse values must be rank 1 but is rank ", s.values.rank());
  }
  if (s.shape.rank() != 1) {
    return InvalidArgument("Sparse shape must be rank 1 but is rank ", s.shape.rank());
  }
  if (s.indices.dim(0) != s.values.dim(0)) {
    return InvalidArgument("Number of elements in indices (", s.indices.dim(0), ") and values (",
                           s.values.dim(0), ") do not match");
  }
  if (s.indices.dim(1) != s.shape.dim(0)) {
    return InvalidArgument("Index rank (", s.indices.dim(1), ") and shape rank (", s.shape.dim(0),
                           ") do not match");
  }
  return OkStatus();
}

Status ValidateUnordered(const SparseView& s) {
  RAMET_RETURN_IF_ERROR(ValidateParts(s));
  for (int64_t i = 0; s.rank() > 0 && i < s.count(); ++i) {
    if (IsInside(s, i)) continue;
    return InvalidArgument("Sparse index tuple indices[", i, ", :] = ", IndexText(s, i, ", "),
                           " is out of bounds");
  }
  return OkStatus();
}

Status CheckOrdered(const SparseView& s) {
  for (int64_t i = 0; i < s.count(); ++i) {
    if (!IsInside(s, i)) {
      return InvalidArgument("indices[", i, "] = ", IndexText(s, i, ","),
                             " is out of bounds: need 0 <= index < [", StrJoin(s.dims(), ","), "]");
    }
    const int order = i == 0 ? -1 : CompareIndices(s.row(i - 1), s.row(i), s.rank());
    if (order >= 0) {
      return InvalidArgument("indices[", i, "] = ", IndexText(s, i, ","),
                             order == 0 ? " is repeated"
                                        : " is out of order. Many sparse ops require sorted "
                                          "indices.\n    Use `tf.sparse.reorder` to create a "
                                          "correctly ordered copy.");
    }
  }
  return OkStatus();
}

int CompareIndices(const int64_t* a, const int64_t* b, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

std::vector<int64_t> SortedOrder(const int64_t* indices, int64_t n, int rank,
                                 std::span<const int> by) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int64_t i, int64_t k) {
    for (const int d : by) {
      const int64_t a = indices[i * rank + d], b = indices[k * rank + d];
      if (a != b) return a < b;
    }
    return false;
  };
  if (!std::ranges::is_sorted(order, less)) std::ranges::stable_sort(order, less);
  return order;
}

std::vector<int64_t> SortedOrder(const int64_t* indices, int64_t n, int rank) {
  std::vector<int> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return SortedOrder(indices, n, rank, all);
}

StatusOr<SparseOutputs> AllocateSparse(KernelContext& c, int first, DType dtype, int64_t count,
                                       std::span<const int64_t> dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(first, kInt64, Shape{count, rank}));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(first + 1, dtype, Shape{count}));
  RAMET_ASSIGN_OR_RETURN(Tensor * shape, c.Allocate(first + 2, kInt64, Shape{rank}));
  std::ranges::copy(dims, shape->mutable_data<int64_t>());
  return SparseOutputs{indices, values, shape};
}

void SetSparseOutputs(ShapeContext& c, int first, int64_t rank) {
  c.set_output(first, Shape{Shape::kUnknownDim, rank});
  c.set_output(first + 1, Shape{Shape::kUnknownDim});
  c.set_output(first + 2, Shape{rank});
}

StatusOr<int64_t> SparseInputRank(ShapeContext& c, int first) {
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(first, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(first + 1, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape shape, c.WithRank(first + 2, 1));
  return indices.dim(1) >= 0 ? indices.dim(1) : shape.dim(0);
}

}  // namespace ramet
