#pragma once

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/scope.h"
#include "ramet/ops/array/grad_util.h"

namespace ramet {

// While an AfterGradient is alive, new nodes wait for the incoming gradient unless they take it as
// an input, so that recomputed forward values are not computed before they are needed.
class AfterGradient {
 public:
  AfterGradient(GradientContext& c, const Output& grad);

 private:
  Scope scope_;
  Scope after_;
};

// Adds a Const node: a scalar of a numeric dtype. Returns an invalid Output if `like` is invalid
// (after an error while the graph is built).
Output ScalarLike(GradientContext& c, DType like, double value, std::string_view name = "Const");
// Adds a Const node with an int32 vector.
Output Int32Vector(GradientContext& c, std::span<const int64_t> values,
                   std::string_view name = "Const");

// Returns the complex conjugate, or x itself for real types, without adding a node.
Output Conj(GradientContext& c, const Output& x);

// Returns the exact name for the argument `arg` of the next op to be named `op`, such as
// "<scope>/<op>_1/<arg>/".
std::string ArgumentName(GradientContext& c, std::string_view op, std::string_view arg);
// Returns x[begin:end] of a vector. A begin of 0 or an end of 0 omits that bound.
Output SliceOf(GradientContext& c, const Output& x, int begin, int end);
// Like tf.range(limit), tf.reshape(x, shape) and tf.cast(x, to).
Output RangeTo(GradientContext& c, const Output& limit);
Output Reshape(GradientContext& c, const Output& x, const Output& shape);
Output Reshape(GradientContext& c, const Output& x, std::span<const int64_t> shape);
Output Cast(GradientContext& c, const Output& x, DType to);

// Like tf.zeros_like (a Const if the shape is known and small) and tf.ones_like (of dtype `type`,
// or of the dtype of x).
Output ZerosLike(GradientContext& c, const Output& x);
Output OnesLike(GradientContext& c, const Output& x, DType type = DType::kInvalid);

// Reports whether both shapes are fully known and equal.
bool SameKnownShape(const Output& x, const Output& y);

// The gradient function of ops without a gradient for any input.
Status NoGradient(GradientContext& c);

}  // namespace ramet
