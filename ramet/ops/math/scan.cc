#include <cmath>
#include <limits>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Cumsum, Cumprod and CumulativeLogsumexp: running combinations of the elements along a dimension.

namespace ramet {
namespace {

enum class ScanOp { kSum, kProduct, kLogSumExp };

template <class T>
T Combine(ScanOp op, T a, T b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(Combine(op, static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<T>(op == ScanOp::kSum ? x + y : x * y);
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (op == ScanOp::kLogSumExp) {
        const T low = b < a ? b : a, high = a < b ? b : a;
        const bool is_zero = high < std::numeric_limits<T>::lowest();
        return is_zero ? high : std::log1p(std::exp(low - high)) + high;
      }
    }
    return op == ScanOp::kSum ? a + b : a * b;
  }
}

template <class T>
T Neutral(ScanOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return T(op == ScanOp::kSum ? 0.0f : op == ScanOp::kProduct ? 1.0f : -kInfinity);
}

// Returns the reduction that computes the scan on a device, or nullopt if none does.
std::optional<linalg::ReduceOp> DeviceScan(ScanOp op) {
  if (op == ScanOp::kLogSumExp) return std::nullopt;
  return op == ScanOp::kSum ? linalg::ReduceOp::kSum : linalg::ReduceOp::kProd;
}

template <class T>
void RunScan(ScanOp op, const ScanSizes& s, const T* x, T* y) {
  const T neutral = Neutral<T>(op);
  const int64_t first = s.reverse ? (s.n - 1) * s.inner : 0;
  const int64_t step = s.reverse ? -s.inner : s.inner;
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      int64_t at = o * s.n * s.inner + first + i;
      T total = neutral;
      for (int64_t j = 0; j < s.n; ++j, at += step) {
        const T next = Combine(op, total, x[at]);
        y[at] = s.exclusive ? total : next;
        total = next;
      }
    }
  }
}

template <ScanOp kOp, class T>
class ScanKernel final : public Kernel {
 public:
  explicit ScanKernel(const KernelNode& node)
      : exclusive_(node.attrs->GetOr("exclusive", false)),
        reverse_(node.attrs->GetOr("reverse", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<ScanKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    const int rank = x.rank();
    if (c.input(1).rank() != 0) {
      return InvalidArgument("ScanOp: axis must be a scalar, not ", c.input(1).shape());
    }
    const int64_t asked = IntegerAt(c.input(1), 0);
    if (asked < -rank || asked >= rank) {
      return InvalidArgument("ScanOp: Expected scan axis in the range [", -rank, ", ", rank,
                             "), but got ", asked);
    }
    const int axis = static_cast<int>(asked < 0 ? asked + rank : asked);
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    const ScanSizes sizes = {Product(x.shape(), 0, axis), x.dim(axis),
                             Product(x.shape(), axis + 1, rank), exclusive_, reverse_};
    if (const DeviceRows* rows = DeviceRows::Of(*y)) {
      if (const auto op = DeviceScan(kOp)) return rows->Scan(*op, sizes, x, *y);
    }
    RunScan(kOp, sizes, x.data<T>(), y->mutable_data<T>());
    return OkStatus();
  }

 private:
  const bool exclusive_;
  const bool reverse_;
};

template <class T>
using CumsumKernel = ScanKernel<ScanOp::kSum, T>;
template <class T>
using CumprodKernel = ScanKernel<ScanOp::kProduct, T>;
template <class T>
using LogSumExpKernel = ScanKernel<ScanOp::kLogSumExp, T>;

struct Direction {
  bool exclusive, reverse;
};

StatusOr<Direction> DirectionOf(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool exclusive, c.attr<bool>("exclusive"));
  RAMET_ASSIGN_OR_RETURN(bool reverse, c.attr<bool>("reverse"));
  return Direction{exclusive, reverse};
}

Status CumsumGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(Direction d, DirectionOf(c));
  Output x_grad = c.Add("Cumsum", {c.grad(), c.input(1)},
                        {{"exclusive", d.exclusive}, {"reverse", !d.reverse}});
  return c.Return({x_grad, Gradient()});
}

Status CumprodGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(Direction d, DirectionOf(c));
  Output x = c.input(0), axis = c.input(1);
  Output product =
      c.Add("Cumprod", {x, axis}, {{"exclusive", d.exclusive}, {"reverse", d.reverse}});
  Output weighted = product * c.grad();
  Output sum =
      c.Add("Cumsum", {weighted, axis}, {{"exclusive", d.exclusive}, {"reverse", !d.reverse}});
  return c.Return({c.Add("DivNoNan", {sum, x}, {}, "div_no_nan"), Gradient()});
}

double LowestOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf: return -65504.0;
    case DType::kBFloat16: return -3.38953138925e38;
    case DType::kFloat: return std::numeric_limits<float>::lowest();
    default: return std::numeric_limits<double>::lowest();
  }
}

// Returns the logarithms of the positive elements of x, and the lowest number for the others.
Output LogOfPositive(GradientContext& c, const Output& x, const Output& is_positive) {
  const double lowest = LowestOf(x.dtype());
  return c.Add("SelectV2", {is_positive, c.Add("Log", {x}), ScalarLike(c, x.dtype(), lowest)});
}

// Differentiates the positive and the negative part of the gradient apart, on a logarithmic scale.
Status LogSumExpGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(Direction d, DirectionOf(c));
  const Output grad = c.grad(), zero = ScalarLike(c, grad.dtype(), 0);
  auto part = [&](const Output& log_grad) {
    const Output sum = c.Add("CumulativeLogsumexp", {log_grad - c.output(), c.input(1)},
                             {{"exclusive", d.exclusive}, {"reverse", !d.reverse}});
    return c.Add("Exp", {sum + c.input(0)});
  };
  const Output above = c.Add("Greater", {grad, zero}), below = c.Add("Less", {grad, zero});
  const Output log_positive = LogOfPositive(c, grad, above);
  const Output log_negative = LogOfPositive(c, c.Add("Neg", {grad}), below);
  const Output positive = part(log_positive), negative = part(log_negative);
  return c.Return({positive - negative, Gradient()});
}

#define RAMET_SCAN_OP(name, types)          \
  RAMET_OP(name)                            \
      .Foldable()                           \
      .Input("x: T")                        \
      .Input("axis: Tidx")                  \
      .Output("out: T")                     \
      .Attr("exclusive: bool = false")      \
      .Attr("reverse: bool = false")        \
      .Attr("T: " types)                    \
      .Attr("Tidx: {int32, int64} = int32") \
      .HostMemory({"axis"})                 \
      .Shape(UnchangedShape)

RAMET_SCAN_OP("Cumsum", "numbertype")
    .Doc(
        "Returns the running sum of x along `axis`, a scalar (negative values count from the end). "
        "The output has the shape of x. With exclusive, element i does not include x[i]; with "
        "reverse, the sum runs from the end. Error: the axis is not a scalar or is out of range.")
    .Gradient(CumsumGradient)
    .CpuKernelClasses<CumsumKernel, RAMET_NUMBERS>();

RAMET_SCAN_OP("Cumprod", "numbertype")
    .Doc(
        "Returns the running product of x along `axis`, a scalar (negative values count from the "
        "end). The output has the shape of x. With exclusive, element i does not include x[i]; "
        "with reverse, the product runs from the end. The gradient is 0 where x is 0. Error: the "
        "axis is not a scalar or is out of range.")
    .Gradient(CumprodGradient)
    .CpuKernelClasses<CumprodKernel, RAMET_NUMBERS>();

RAMET_SCAN_OP("CumulativeLogsumexp", "{bfloat16, half, float, double}")
    .Doc(
        "Returns log(sum(exp(x))) of the elements up to each one along `axis`, a scalar (negative "
        "values count from the end), without overflow. The output has the shape of x. With "
        "exclusive, element i does not include x[i], and the first one is -inf; with reverse, the "
        "sum runs from the end. Error: the axis is not a scalar or is out of range.")
    .Gradient(LogSumExpGradient)
    .CpuKernelClasses<LogSumExpKernel, RAMET_FLOATS>();

}  // namespace
}  // namespace ramet
