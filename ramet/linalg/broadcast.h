#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ramet::linalg {

// A BroadcastPlan says how up to three dense row-major operands are read to make one dense
// row-major result whose shape is their broadcast (numpy's rule): neighbouring dimensions that all
// operands treat alike are collapsed to one, so that common cases have one or two dimensions
// whatever the rank. A plain value without heap; made again when shapes change.
class BroadcastPlan {
 public:
  using Shape = std::span<const int64_t>;
  static constexpr int kMaxOperands = 3;
  // A collapsed dimension has at least two elements, so more would overflow int64.
  static constexpr int kMaxDims = 64;

  // Two operands. False when the shapes do not broadcast, or the result has 2^63 elements or more;
  // the plan is then empty.
  static bool Make(Shape a, Shape b, BroadcastPlan* plan);
  // Three operands (Select).
  static bool Make(Shape a, Shape b, Shape c, BroadcastPlan* plan);
  // Two spans of n elements each.
  static BroadcastPlan Flat(int64_t n);
  // A scalar first operand with n elements, and the other way round.
  static BroadcastPlan ScalarLeft(int64_t n);
  static BroadcastPlan ScalarRight(int64_t n);

  // Elements of the result.
  int64_t size() const { return size_; }
  // Collapsed dimensions, outermost first. At least one.
  int ndims() const { return ndims_; }
  int64_t dim(int i) const { return dims_[i]; }
  // Elements to step in operand `operand` along collapsed dimension i; 0 where it is broadcast.
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

// The broadcast of two shapes into `out`, which has room for max(a.size(), b.size()) dimensions.
// False when they do not broadcast.
bool BroadcastShape(BroadcastPlan::Shape a, BroadcastPlan::Shape b, std::span<int64_t> out);

}  // namespace ramet::linalg
