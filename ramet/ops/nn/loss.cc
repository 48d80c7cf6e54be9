#include "ramet/linalg/elementwise.h"
#include "ramet/linalg/reduce.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

template <class T>
Status L2LossCompute(KernelContext& c) {
  const Tensor& t = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * loss, c.Allocate(0, t.dtype(), Shape()));
  return Reduce(linalg::ReduceOp::kSumSquares, linalg::ReducePlan::Full(t.num_elements()), t, *loss,
                2);
}

RAMET_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Doc("Returns half the sum of the squares of all elements, a scalar.")
    .Shape(ScalarShape)
    .Gradient([](GradientContext& c) { return c.Return({c.input(0) * c.grad()}); })
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) { return L2LossCompute<T>(c); });

}  // namespace
}  // namespace ramet
