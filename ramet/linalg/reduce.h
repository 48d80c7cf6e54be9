#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ramet/linalg/types.h"

// Reductions of dense row-major arrays over a set of axes, with the values of TensorFlow's CPU
// kernels. They use the calling thread's intra-op threads for large work and give the same bits for
// any number of them. Scratch memory is kept per thread; nothing is allocated in the steady state.
//
// Types: F = half, bfloat16, float, double; I = int8..int64, uint8..uint64; C = complex64,
// complex128.

namespace ramet::linalg {

enum class ReduceOp : uint8_t {
  kSum,         // F I C; 0 if empty. Float sums are blocked: the error grows with log n
  kProd,        // F I C; 1 if empty
  kMean,        // F I C; NaN (I: 0) if empty; I: 64-bit sum / count, towards zero
  kMax,         // F I; lowest (F: -inf) if empty; NaN if any is NaN
  kMin,         // F I; highest (F: +inf) if empty; NaN if any is NaN
  kAll,         // bool; true if empty
  kAny,         // bool; false if empty
  kSumSquares,  // F; sum of x * x (twice L2Loss)
};
inline constexpr int kNumReduceOps = static_cast<int>(ReduceOp::kSumSquares) + 1;

// A ReducePlan is a shape collapsed to alternating kept and reduced dimensions. A plain value.
class ReducePlan {
 public:
  static constexpr int kMaxDims = 64;

  // reduced[i] tells whether dimension i is reduced. Both spans have the same length.
  static ReducePlan Make(std::span<const int64_t> shape, std::span<const bool> reduced);
  // Reduce [rows, columns] to [rows], to [columns], and n elements to one.
  static ReducePlan Rows(int64_t rows, int64_t columns);
  static ReducePlan Columns(int64_t rows, int64_t columns);
  static ReducePlan Full(int64_t n);

  // Numbers of elements: in the operand, in the result, and in the operand per element of the
  // result.
  int64_t input_size() const { return kept_ * reduced_; }
  int64_t output_size() const { return kept_; }
  int64_t reduced_size() const { return reduced_; }
  // Collapsed dimensions, outermost first, alternating between kept and reduced.
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
// y = op over the reduced dimensions of x. y has plan.output_size() elements and must not overlap
// x. HasReduce must hold.
void Reduce(ReduceOp op, Type type, const ReducePlan& plan, const void* x, void* y);

}  // namespace ramet::linalg
