#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// Returns log(exp(a) + exp(b)).
template <class T>
T LogAddExp(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const T most = std::max(a, b), least = std::min(a, b);
  if (std::isinf(most)) return most;
  return most + std::log1p(std::exp(least - most));
}

struct LogSumScan {
  int64_t outer, n, inner;
  bool exclusive, reverse;
};

template <class T>
void RunLogSumScan(const LogSumScan& s, const T* x, T* y) {
  using Sum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const int64_t step = s.reverse ? -s.inner : s.inner;
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      int64_t at = o * s.n * s.inner + (s.reverse ? (s.n - 1) * s.inner : 0) + i;
      Sum total = -std::numeric_limits<Sum>::infinity();
      for (int64_t k = 0; k < s.n; ++k, at += step) {
        const Sum next = LogAddExp(total, static_cast<Sum>(x[at]));
        y[at] = static_cast<T>(s.exclusive ? total : next);
        total = next;
      }
    }
  }
}

template <class T>
class CumulativeLogsumexpKernel final : public Kernel {
 public:
  explicit CumulativeLogsumexpKernel(const KernelNode& node)
      : exclusive_(node.attrs->GetOr("exclusive", false)),
        reverse_(node.attrs->GetOr("reverse", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<CumulativeLogsumexpKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (c.input(1).rank() != 0) {
      return InvalidArgument("ScanOp: axis must be a scalar, not ", c.input(1).shape());
    }
    const int64_t asked = IntegerAt(c.input(1), 0);
    if (asked < -x.rank() || asked >= x.rank()) {
      return InvalidArgument("ScanOp: Expected scan axis in the range [", -x.rank(), ", ", x.rank(),
                             "), but got ", asked);
    }
    const int axis = static_cast<int>(asked < 0 ? asked + x.rank() : asked);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    RunLogSumScan({Product(x.shape(), 0, axis), x.dim(axis), Product(x.shape(), axis + 1, x.rank()),
                   exclusive_, reverse_},
                  x.data<T>(), y->mutable_data<T>());
    return OkStatus();
  }

 private:
  const bool exclusive_;
  const bool reverse_;
};

Status CumulativeLogsumexpShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  c.set_output(0, std::move(x));
  return OkStatus();
}

// Splits the gradient into its positive and negative parts, whose logarithms are summed.
Status CumulativeLogsumexpGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool exclusive, c.attr<bool>("exclusive"));
  RAMET_ASSIGN_OR_RETURN(const bool reverse, c.attr<bool>("reverse"));
  const Output grad = c.grad(), x = c.input(0), y = c.output();
  const DType type = BaseType(grad.dtype());
  const double lowest = type == kDouble     ? std::numeric_limits<double>::lowest()
                        : type == kHalf     ? -65504.0
                        : type == kBFloat16 ? -3.3895313892515355e38
                                            : std::numeric_limits<float>::lowest();
  const auto part = [&](std::string_view compare, const Output& logarithm) {
    const Output chosen = c.Add(compare, {grad, ScalarLike(c, type, 0, StrCat(compare, "/y"))});
    const Output logs =
        c.Add("SelectV2", {chosen, logarithm, ScalarLike(c, type, lowest, "SelectV2/e")});
    const Output sums = c.Add("CumulativeLogsumexp", {logs - y, c.input(1)},
                              {{"exclusive", exclusive}, {"reverse", !reverse}});
    return c.Add("Exp", {sums + x});
  };
  const Output positive = part("Greater", c.Add("Log", {grad}));
  const Output negative = part("Less", c.Add("Log", {-grad}));
  return c.Return({positive - negative, Gradient()});
}

RAMET_OP("CumulativeLogsumexp")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr(kAttrFloats)
    .Attr("Tidx: {int32, int64} = int32")
    .HostMemory({"axis"})
    .Doc(
        "Returns log(sum(exp(x))) of the elements up to each position along `axis`, a scalar "
        "(negative values count from the end). The output has the shape of x. With exclusive, "
        "element i does not include x[i]; with reverse, the sum runs from the end. Error: the axis "
        "is not a scalar or is out of range.")
    .Shape(CumulativeLogsumexpShape)
    .Gradient(CumulativeLogsumexpGradient)
    .CpuKernelClasses<CumulativeLogsumexpKernel, RAMET_FLOATS>();

}  // namespace
}  // namespace ramet
