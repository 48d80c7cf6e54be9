#include <cmath>

#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/map.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

RAMET_OP("Expint")
    .Input("x: T")
    .Output("y: T")
    .Attr(kAttrFloats)
    .Doc(
        "Returns the exponential integral Ei(x) element-wise, and NaN for x < 0. y has the shape "
        "of x.")
    .Shape(UnchangedShape)
    .Gradient([](GradientContext& c) -> Status {
      const Output grad = c.grad(), x = c.input(0);
      AfterGradient after(c, grad);
      return c.Return({grad * (c.Add("Exp", {x}) / x)});
    })
    .CpuKernels<float, double>([]<class T>(KernelContext& c) {
      return MapElements<T>(c, [](T x) { return x < 0 ? std::nan("") : std::expint(x); });
    });

}  // namespace
}  // namespace ramet
