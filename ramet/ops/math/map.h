#pragma once

#include <algorithm>

#include "ramet/linalg/broadcast.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/broadcast_loop.h"

// Element-wise kernels made from a function on elements, for functions that linalg does not have.

namespace ramet {

// Computes y[i] = fn(x[i]). Output 0, of type Y, has the shape of input 0.
template <class T, class Y = T, class Fn>
Status MapElements(KernelContext& c, Fn fn) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<Y>::value, x.shape()));
  std::ranges::transform(x.flat<T>(), y->mutable_data<Y>(), fn);
  return OkStatus();
}

// Computes z = fn(x, y) with inputs 0 and 1 broadcast.
// \error kInvalidArgument: "Incompatible shapes: [2] vs. [3]".
template <class T, class Z = T, class Fn>
Status MapPairs(KernelContext& c, Fn fn) {
  const Tensor &x = c.input(0), &y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(x.shape(), y.shape()));
  linalg::BroadcastPlan plan;
  if (!linalg::BroadcastPlan::Make(x.shape().dims(), y.shape().dims(), &plan)) {
    return InvalidArgument("the broadcast of ", x.shape(), " and ", y.shape(),
                           " has too many elements");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, DTypeOf<Z>::value, shape));
  const T *in = x.data<T>(), *other = y.data<T>();
  Z* out = z->mutable_data<Z>();
  ForEachBroadcast<2>(plan, [&](int64_t i, const std::array<int64_t, 2>& at) {
    out[i] = fn(in[at[0]], other[at[1]]);
  });
  return OkStatus();
}

}  // namespace ramet
