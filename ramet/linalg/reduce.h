#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ramet/linalg/types.h"

// Reductions of dense row-major arrays over a set of axes, with TensorFlow's CPU values. They use
// the calling thread's intra-op threads when the work is large and give the same bits for any
// number of them. Scratch memory is kept per thread; steady state allocates nothing.
//
// Types: F = half, bfloat16, float, double; I = int8..int64, uint8..uint64; C = complex64,
// complex128.

namespace ramet::linalg {

enum class ReduceOp : uint8_t {
  kSum,         // F I C; nothing: 0. Float sums are blocked: the error grows with log n
  kProd,        // F I C; nothing: 1
  kMean,        // F I C; nothing: NaN (I: 0); I: sum in 64 bits / count, towards zero
  kMax,         // F I; nothing: lowest (F: -inf); NaN if any is NaN
  kMin,         // F I; nothing: highest (F: +inf); NaN if any is NaN
  kAll,         // bool; nothing: true
  kAny,         // bool; nothing: false
  kSumSquares,  // F; sum of x * x (L2Loss is half of it)
};
inline constexpr int kNumReduceOps = static_cast<int>(ReduceOp::kSumSquares) + 1;

// A ReducePlan is a shape collapsed to alternating kept and reduced dimensions. A plain value.
class ReducePlan {
 public:
  static constexpr int kMaxDims = 64;

  // reduced[i] says whether dimension i is reduced; both spans have one length.
  static ReducePlan Make(std::span<const int64_t> shape, std::span<const bool> reduced);
  // [rows, columns] -> [rows], -> [columns], and everything to one element.
  static ReducePlan Rows(int64_t rows, int64_t columns);
  static ReducePlan Columns(int64_t rows, int64_t columns);
  static ReducePlan Full(int64_t n);

  // Elements of the operand, of the result, and of the operand for each element of the result.
  int64_t input_size() const { return kept_ * reduced_; }
  int64_t output_size() const { return kept_; }
  int64_t reduced_size() const { return reduced_; }
  // Collapsed dimensions, outermost first, alternately kept and reduced.
  int ndims() const { return ndims_; }
  int64_t dim(int i) const { return dims_[i]; }
  bool is_reduced(int i) const { return (i % 2 == 0) == first_reduced_; }

 private:
  void Append(int64_t dim, bool reduced);

  int64_t kept_ = 1;
  int64_t reduced_ = 1;
  int ndims_ = 0;
  bool first_reduced_ = false;
  std::array<int64_t, kMaxDims> dims_;
};

bool HasReduce(ReduceOp op, Type type);
// y = op over the reduced dimensions of x. y has plan.output_size() elements and does not overlap
// x. HasReduce must hold.
void Reduce(ReduceOp op, Type type, const ReducePlan& plan, const void* x, void* y);

// y[o, i] = the index j of the largest (smallest) x[o, j, i], the first of equals; where there are
// NaNs as TensorFlow's ArgMax. F I bool; n >= 1; index_type is int32, int64, int16 or uint16.
void ArgMax(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y);
void ArgMin(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y);

}  // namespace ramet::linalg
