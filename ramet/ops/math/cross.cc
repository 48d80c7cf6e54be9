#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

namespace ramet {
namespace {

// Returns a * b - c * d; integers wrap.
template <class T>
T Minor(T a, T b, T c, T d) {
  if constexpr (std::is_integral_v<T>) {
    return WrappingSub(WrappingMul(a, b), WrappingMul(c, d));
  } else {
    using W = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) -
                          static_cast<W>(c) * static_cast<W>(d));
  }
}

template <class T>
Status CrossCompute(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (a.shape() != b.shape()) {
    return InvalidArgument("Both inputs must be of same shape: ", a.shape(), " vs. ", b.shape());
  }
  if (a.rank() < 1) return InvalidArgument("Input must be at least 1D", a.shape());
  if (a.dim(a.rank() - 1) != 3) {
    return FailedPrecondition("Cross-products are only defined for 3-element vectors.");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * product, c.Allocate(0, a.dtype(), a.shape()));
  const T *x = a.data<T>(), *y = b.data<T>();
  T* z = product->mutable_data<T>();
  for (int64_t at = 0; at < a.num_elements(); at += 3) {
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t j = at + (i + 1) % 3, k = at + (i + 2) % 3;
      z[at + i] = Minor(x[j], y[k], x[k], y[j]);
    }
  }
  return OkStatus();
}

Status CrossShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape a, c.WithRankAtLeast(0, 1));
  RAMET_ASSIGN_OR_RETURN(Shape merged, a.MergeWith(c.input(1)));
  if (!merged.unknown_rank()) {
    const int64_t last = merged.dim(merged.rank() - 1);
    if (last >= 0 && last != 3) return InvalidArgument("Dimension must be 3 but is ", last);
  }
  c.set_output(0, std::move(merged));
  return OkStatus();
}

Status CrossGradient(GradientContext& c) {
  Output grad = c.grad(), a = c.input(0), b = c.input(1);
  Output da = c.Add("Cross", {b, grad});
  return c.Return({da, c.Add("Cross", {grad, a})});
}

RAMET_OP("Cross")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns the cross products of the three-element vectors along the last dimension. The "
        "output has the shape of the inputs. Error: the shapes differ; the inputs are scalars; the "
        "last dimension is not 3 (kFailedPrecondition).")
    .Shape(CrossShape)
    .Gradient(CrossGradient)
    .CpuKernels<RAMET_REALS>([]<class T>(KernelContext& c) { return CrossCompute<T>(c); });

}  // namespace
}  // namespace ramet
