#include <algorithm>

#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/stoppable_sort.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

template <class T>
class NthElementKernel final : public Kernel {
 public:
  explicit NthElementKernel(bool reverse) : reverse_(reverse) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<NthElementKernel>(node.attrs->GetOr("reverse", false));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &x = c.input(0), &n = c.input(1);
    RAMET_RETURN_IF_ERROR(Check(x, n));
    const int64_t size = x.dim(x.rank() - 1);
    const int64_t at = reverse_ ? size - 1 - n.scalar<int32_t>() : n.scalar<int32_t>();
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape().Slice(0, x.rank() - 1)));
    RAMET_ASSIGN_OR_RETURN(Tensor copy, c.AllocateTemp(x.dtype(), Shape{size}));
    T* row = copy.mutable_data<T>();
    const StopCheck stop;
    for (int64_t i = 0; i < y->num_elements() && !stop.due(); ++i) {
      std::copy_n(x.data<T>() + i * size, size, row);
      SortStoppably<T>(size, stop, Below, [&](const auto& below) {
        std::nth_element(row, row + at, row + size, below);
      });
      y->mutable_data<T>()[i] = row[at];
    }
    return OkStatus();
  }

 private:
  static Status Check(const Tensor& x, const Tensor& n) {
    if (n.rank() != 0) return InvalidArgument("N must be scalar but has rank ", n.rank());
    const int32_t value = n.scalar<int32_t>();
    if (value < 0) return InvalidArgument("n must be non-negative but is ", value);
    if (x.rank() < 1) return InvalidArgument("Input must be at least rank 1 but is rank 0");
    if (x.dim(x.rank() - 1) > value) return OkStatus();
    return InvalidArgument("Input must have last dimension > n = ", value);
  }

  // Orders NaNs last: std::nth_element accesses memory outside the row if the order is not a strict
  // weak ordering.
  static bool Below(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b;
    } else {
      using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
      return x < y || (x == x && y != y);
    }
  }

  const bool reverse_;
};

Status NthElementShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  if (c.input(1).rank() > 0) {
    return InvalidArgument("N must be scalar but has rank ", c.input(1).rank());
  }
  if (const auto n = KnownScalar(c, 1)) {
    if (*n < 0) return InvalidArgument("n must be non-negative but is ", *n);
    const int64_t last = x.unknown_rank() ? Shape::kUnknownDim : x.dim(x.rank() - 1);
    if (last >= 0 && last <= *n) {
      return InvalidArgument("Input must have last dimension > n = ", *n, " but is ", last);
    }
  }
  if (!x.unknown_rank()) c.set_output(0, x.Slice(0, x.rank() - 1));
  return OkStatus();
}

// Passes the gradient in equal parts to all elements that are equal to the selected one.
Status NthElementGradient(GradientContext& c) {
  const Output chosen = c.Add("ExpandDims", {c.output(), Tensor(int32_t{-1})});
  const Output equal = Cast(c, c.Add("Equal", {chosen, c.input(0)}), c.grad().dtype());
  const Output grad = c.Add("ExpandDims", {c.grad(), Tensor(int32_t{-1})});
  const Output count = c.Add("Sum", {equal, Tensor(int32_t{-1})}, {{"keep_dims", true}});
  return c.Return({equal / count * grad, Gradient()});
}

RAMET_OP("NthElement")
    .Input("input: T")
    .Input("n: int32")
    .Output("values: T")
    .Attr("reverse: bool = false")
    .Attr("T: realnumbertype")
    .Doc(
        "Returns the element of each row (along the last dimension) that would be at position n, a "
        "scalar, if the row were sorted in ascending order, or in descending order with `reverse`. "
        "The output does not have the last dimension. Error: n is not a scalar, is negative or is "
        "not less than the size of a row; the input is a scalar.")
    .HostMemory({"n"})
    .Shape(NthElementShape)
    .Gradient(NthElementGradient)
    .CpuKernelClasses<NthElementKernel, RAMET_REALS>();

}  // namespace
}  // namespace ramet
