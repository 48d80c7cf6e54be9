#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ramet::linalg {

// A BroadcastPlan tells how to read up to three dense row-major operands to produce one dense
// row-major result whose shape is their broadcast (NumPy's rule). Adjacent dimensions that all
// operands treat alike are collapsed, so that common cases have one or two dimensions of any rank.
// A plain value without heap memory. Make a new one if shapes change.
class BroadcastPlan {
 public:
  using Shape = std::span<const int64_t>;
  static constexpr int kMaxOperands = 3;
  // A collapsed dimension has at least two elements, so more would overflow int64.
  static constexpr int kMaxDims = 64;

  // Plans two operands. Returns false if the shapes do not broadcast, or the result has 2^63
  // elements or more; the plan is then empty.
  static bool Make(Shape a, Shape b, BroadcastPlan* plan);
  // Plans three operands (Select).
  static bool Make(Shape a, Shape b, Shape c, BroadcastPlan* plan);
  // Plans two spans of n elements each.
  static BroadcastPlan Flat(int64_t n);
  // Plan a scalar first (ScalarLeft) or second operand and one with n elements.
  static BroadcastPlan ScalarLeft(int64_t n);
  static BroadcastPlan ScalarRight(int64_t n);

  // Number of elements in the result.
  int64_t size() const { return size_; }
  // Collapsed dimensions, outermost first. At least one.
  int ndims() const { return ndims_; }
  int64_t dim(int i) const { return dims_[i]; }
  // Returns the step in elements of `operand` along collapsed dimension i; 0 if it is broadcast.
  // Along the last dimension it is 0 or 1.
  int64_t stride(int operand, int i) const { return strides_[operand][i]; }

 private:
  static bool MakeN(std::span<const Shape> shapes, BroadcastPlan* plan);
  bool Append(int64_t dim, std::span<const int64_t> strides);

  int64_t size_ = 0;
  int ndims_ = 1;
  std::array<int64_t, kMaxDims> dims_;
  std::array<std::array<int64_t, kMaxDims>, kMaxOperands> strides_;
};

// Writes the broadcast of two shapes to `out`, which must hold max(a.size(), b.size()) dimensions.
// Returns false if they do not broadcast.
bool BroadcastShape(BroadcastPlan::Shape a, BroadcastPlan::Shape b, std::span<int64_t> out);

}  // namespace ramet::linalg
