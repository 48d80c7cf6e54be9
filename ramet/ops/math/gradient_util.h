#pragma once

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/scope.h"
#include "ramet/ops/array/grad_util.h"

namespace ramet {

// While an AfterGradient lives, new nodes wait for the incoming gradient (unless they take it as an
// input): forward values are not computed again before they are needed.
class AfterGradient {
 public:
  AfterGradient(GradientContext& c, const Output& grad);

 private:
  Scope scope_;
  Scope after_;
};

// A Const node: a scalar of a numeric dtype. Invalid if `like` is (after an error of building).
Output ScalarLike(GradientContext& c, DType like, double value, std::string_view name = "Const");
// A Const node with a vector of int32.
Output Int32Vector(GradientContext& c, std::span<const int64_t> values,
                   std::string_view name = "Const");

// The complex conjugate; x itself for real types, without a node.
Output Conj(GradientContext& c, const Output& x);

// The name, taken as it is, of an argument `arg` of the next op that will be called `op`:
// "<scope>/<op>_1/<arg>/".
std::string ArgumentName(GradientContext& c, std::string_view op, std::string_view arg);
// x[begin:end] of a vector; begin 0 and end 0 are its begin and end.
Output SliceOf(GradientContext& c, const Output& x, int begin, int end);
// tf.range(limit), tf.reshape(x, shape).
Output RangeTo(GradientContext& c, const Output& limit);
Output Reshape(GradientContext& c, const Output& x, const Output& shape);
Output Reshape(GradientContext& c, const Output& x, std::span<const int64_t> shape);
Output Cast(GradientContext& c, const Output& x, DType to);

// tf.zeros_like (a Const where the shape is known and small), tf.ones_like (of dtype `type`, or
// that of x).
Output ZerosLike(GradientContext& c, const Output& x);
Output OnesLike(GradientContext& c, const Output& x, DType type = DType::kInvalid);

// Whether both shapes are fully known and equal.
bool SameKnownShape(const Output& x, const Output& y);

// Gradient of ops whose gradient is none for every input.
Status NoGradient(GradientContext& c);

}  // namespace ramet
