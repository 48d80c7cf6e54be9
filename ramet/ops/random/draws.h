#pragma once

#include "ramet/linalg/random.h"
#include "ramet/op/kernel.h"

// Draws from distributions whose parameters are tensors, for ops that differ in the source of the
// generator.

namespace ramet {

// Fills y, [samples, parameters], with numbers of gamma distributions with the shape parameters
// `alpha`. Both have the same dtype.
void DrawGamma(const Tensor& alpha, const linalg::Philox& generator, int64_t samples, Tensor& y);

// Fills y, [samples, parameters], with numbers of Poisson distributions with the means `rates`.
// \error kInvalidArgument: a rate is NaN or too large for the dtype of y.
Status DrawPoisson(KernelContext& c, const Tensor& rates, const linalg::Philox& generator,
                   int64_t samples, Tensor& y);

// Returns the shape of an output that input 0 describes. It must end with `parameters`, the shape
// of the parameters.
// \error kInvalidArgument: "Shape passed in must end with broadcasted shape."; input 0 is not a
//   vector or has a negative element.
StatusOr<Shape> SampledShape(const KernelContext& c, int input, const Shape& parameters);

// Returns `x` broadcast to `shape`, to which it is known to broadcast.
StatusOr<Tensor> BroadcastParameter(KernelContext& c, const Tensor& x, const Shape& shape);

// Returns a copy of a numeric tensor as doubles.
StatusOr<Tensor> AsDoubles(KernelContext& c, const Tensor& x);

}  // namespace ramet
