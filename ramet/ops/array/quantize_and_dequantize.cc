#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/quantize_util.h"
#include "ramet/ops/math/gradient_util.h"

// Rounds floats to values that an integer of few bits can represent.

namespace ramet {
namespace {

// The lowest and highest of the integers.
struct Steps {
  int64_t lowest = 0, highest = 0;

  // \error kInvalidArgument: a 64-bit integer cannot hold that many bits.
  static StatusOr<Steps> Of(int64_t bits, bool is_signed, bool narrow_range) {
    if (bits <= 0 || bits >= (is_signed ? 62 : 63)) {
      return InvalidArgument("num_bits is out of range: ", bits, " with signed_input_ ",
                             is_signed ? 1 : 0);
    }
    if (!is_signed) return Steps{0, (int64_t{1} << bits) - 1};
    const int64_t half = int64_t{1} << (bits - 1);
    return Steps{narrow_range ? 1 - half : -half, half - 1};
  }
};

template <class T>
struct Rounder {
  T low, high, scale, inverse;

  Rounder(const Steps& steps, T min, T max) : low(min), high(max) {
    const T lowest = static_cast<T>(steps.lowest), highest = static_cast<T>(steps.highest);
    constexpr T kNone = std::numeric_limits<T>::max();
    const T by_low = lowest * min > 0 ? lowest / min : kNone;
    const T by_high = highest * max > 0 ? highest / max : kNone;
    if (by_low < by_high) {
      scale = by_low;
      inverse = min / lowest;
      high = highest * inverse;
    } else {
      scale = by_high;
      inverse = max / highest;
      low = lowest * inverse;
    }
  }

  void Run(const T* x, T* y, int64_t n, bool bounded, bool half_up) const {
    std::transform(x, x + n, y, [&](T v) {
      const T step = (bounded ? std::max(std::min(v, high), low) : v) * scale;
      return (half_up ? std::floor(step + T(0.5)) : std::rint(step)) * inverse;
    });
  }
};

Status CheckBound(const Tensor& t, std::string_view name, int axis, int64_t expected) {
  if (axis == -1) {
    if (t.rank() == 0) return OkStatus();
    return InvalidArgument(name, " must be a scalar.");
  }
  if (t.rank() != 1) {
    return InvalidArgument("Shape must be rank 1 for ", name, "_tensor when the axis is specified");
  }
  if (t.dim(0) == expected) return OkStatus();
  return InvalidArgument(name, "_tensor has incorrect size, was ", t.dim(0), " expected ", expected,
                         " to match dim ", axis, " of the input ", t.shape());
}

// The optional input 3 is the number of bits.
template <class T>
class RoundKernel final : public Kernel {
 public:
  RoundKernel(const AttrMap& all, int axis)
      : bits_(all.GetOr<int64_t>("num_bits", 8)),
        signed_(all.GetOr("signed_input", true)),
        narrow_range_(all.GetOr("narrow_range", false)),
        range_given_(all.GetOr("range_given", false)),
        half_up_(all.GetOr<std::string>("round_mode", "") == "HALF_UP"),
        axis_(axis) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const QuantizeAttrs attrs, QuantizeAttrs::Of(node));
    auto kernel = std::make_unique<RoundKernel>(*node.attrs, attrs.axis);
    if (node.input_types.size() < 4) {
      RAMET_RETURN_IF_ERROR(
          Steps::Of(kernel->bits_, kernel->signed_, kernel->narrow_range_).status());
    }
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const Steps steps, StepsOf(c));
    if (axis_ >= x.rank()) {
      return InvalidArgument("Shape must be at least rank ", axis_ + 1, " but is rank ", x.rank());
    }
    const auto slices = QuantizedSlices::Of(x.shape(), axis_);
    if (range_given_) RAMET_RETURN_IF_ERROR(CheckGiven(c, slices.slices));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    std::vector<T> low(slices.slices), high(slices.slices);
    range_given_ ? Given(c, low, high) : Found(x, slices, low, high);
    slices.ForEachRun([&](int64_t slice, int64_t first, int64_t n) {
      Rounder<T>(steps, low[slice], high[slice])
          .Run(x.data<T>() + first, y->mutable_data<T>() + first, n, range_given_, half_up_);
    });
    return OkStatus();
  }

 private:
  StatusOr<Steps> StepsOf(KernelContext& c) const {
    if (c.num_inputs() < 4) return Steps::Of(bits_, signed_, narrow_range_);
    const Tensor& bits = c.input(3);
    if (bits.rank() != 0) {
      return InvalidArgument(
          "Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: ", bits.rank());
    }
    return Steps::Of(bits.data<int32_t>()[0], signed_, narrow_range_);
  }

  Status CheckGiven(KernelContext& c, int64_t count) const {
    const Tensor &x = c.input(0), &min = c.input(1), &max = c.input(2);
    RAMET_RETURN_IF_ERROR(CheckBound(min, "input_min", axis_, count));
    RAMET_RETURN_IF_ERROR(CheckBound(max, "input_max", axis_, count));
    if (axis_ == -1 && !(min.data<T>()[0] <= max.data<T>()[0]) && x.num_elements() > 0) {
      return InvalidArgument("Invalid range: input_min ", min.data<T>()[0], " > input_max ",
                             max.data<T>()[0]);
    }
    return OkStatus();
  }

  static void Given(KernelContext& c, std::vector<T>& low, std::vector<T>& high) {
    std::copy_n(c.input(1).data<T>(), low.size(), low.begin());
    std::copy_n(c.input(2).data<T>(), high.size(), high.begin());
  }

  static void Found(const Tensor& x, const QuantizedSlices& slices, std::vector<T>& low,
                    std::vector<T>& high) {
    std::ranges::fill(low, std::numeric_limits<T>::infinity());
    std::ranges::fill(high, -std::numeric_limits<T>::infinity());
    slices.ForEachRun([&](int64_t slice, int64_t first, int64_t n) {
      const auto [least, most] = std::minmax_element(x.data<T>() + first, x.data<T>() + first + n);
      low[slice] = std::min(low[slice], *least);
      high[slice] = std::max(high[slice], *most);
    });
  }

  const int64_t bits_;
  const bool signed_, narrow_range_, range_given_, half_up_;
  const int axis_;
};

// Passes gradients through as if nothing had been rounded.
Status StraightThrough(GradientContext& c) {
  std::vector<Gradient> gradients(c.num_inputs());
  gradients[0] = c.grad();
  return c.Return(std::move(gradients));
}

Status BoundedGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  const Operation grads =
      c.AddOperation("QuantizeAndDequantizeV4Grad", {c.grad(), c.input(0), c.input(1), c.input(2)},
                     {{"axis", axis}});
  if (!grads.valid()) return c.Return({Gradient(), Gradient(), Gradient()});
  return c.Return({grads.output(0), grads.output(1), grads.output(2)});
}

template <class T>
class BoundedGradKernel final : public Kernel {
 public:
  explicit BoundedGradKernel(int axis) : axis_(axis) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const QuantizeAttrs attrs, QuantizeAttrs::Of(node));
    return std::unique_ptr<Kernel>(std::make_unique<BoundedGradKernel>(attrs.axis));
  }

  Status Compute(KernelContext& c) override {
    RAMET_RETURN_IF_ERROR(Check(c));
    const Tensor &gradients = c.input(0), &x = c.input(1), &min = c.input(2), &max = c.input(3);
    RAMET_ASSIGN_OR_RETURN(Tensor * by_min, c.Allocate(1, min.dtype(), min.shape()));
    RAMET_ASSIGN_OR_RETURN(Tensor * by_max, c.Allocate(2, max.dtype(), max.shape()));
    std::ranges::fill(by_min->mutable_flat<T>(), T(0));
    std::ranges::fill(by_max->mutable_flat<T>(), T(0));
    RAMET_ASSIGN_OR_RETURN(Tensor * by_x, c.Allocate(0, x.dtype(), x.shape()));
    const T *g = gradients.data<T>(), *in = x.data<T>();
    T* out = by_x->mutable_data<T>();
    QuantizedSlices::Of(x.shape(), axis_).ForEachRun([&](int64_t slice, int64_t first, int64_t n) {
      const T low = min.data<T>()[slice], high = max.data<T>()[slice];
      for (int64_t i = first; i < first + n; ++i) {
        out[i] = in[i] >= low && in[i] <= high ? g[i] : T(0);
      }
    });
    return OkStatus();
  }

 private:
  Status Check(KernelContext& c) const {
    const Tensor& x = c.input(1);
    if (c.input(0).shape() != x.shape()) {
      return InvalidArgument("gradient and input must be the same size");
    }
    if (axis_ >= x.rank()) {
      return InvalidArgument("Axis should be -1 or 0 or a positive value less than ", x.rank(),
                             "but given axis value was ", axis_);
    }
    for (int i : {2, 3}) {
      const Tensor& bound = c.input(i);
      const std::string_view name = i == 2 ? "min" : "max";
      if (axis_ == -1 && bound.rank() != 0) {
        return InvalidArgument("input_", name, " must be a scalar if axis is unspecified");
      }
      if (axis_ == -1) continue;
      if (bound.rank() != 1) {
        return InvalidArgument("Shape must be rank 1 for input_", name,
                               "_tensor when the axis is specified");
      }
      if (bound.dim(0) == x.dim(axis_)) continue;
      return InvalidArgument(name, " has incorrect size, expected ", x.dim(axis_), " was ",
                             bound.dim(0));
    }
    return OkStatus();
  }

  const int axis_;
};

#define RAMET_ROUNDING_OP(name)                                                                    \
  RAMET_OP(name)                                                                                   \
      .Input("input: T")                                                                           \
      .Input("input_min: T")                                                                       \
      .Input("input_max: T")                                                                       \
      .Output("output: T")                                                                         \
      .Attr("signed_input: bool = true")                                                           \
      .Attr("num_bits: int = 8")                                                                   \
      .Attr("range_given: bool = false")                                                           \
      .Attr("T: {bfloat16, half, float, double}")                                                  \
      .Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'")                            \
      .Attr("narrow_range: bool = false")                                                          \
      .Attr("axis: int = -1")                                                                      \
      .Doc(                                                                                        \
          "Returns the input rounded to values that integers of num_bits bits can represent in "   \
          "the range [input_min, input_max] or, without range_given, in the range of the "         \
          "elements. 0 stays 0. With `axis`, each slice along that axis has its own range. The "   \
          "output has the shape of the input. Error: num_bits is not in [1, 61] ([1, 62] without " \
          "signed_input); input_min is greater than input_max; `axis` is out of range; input_min " \
          "or input_max has the wrong shape.")                                                     \
      .Shape(QuantizedShape<1>)                                                                    \
      .CpuKernelClasses<RoundKernel, float, double>()

RAMET_ROUNDING_OP("QuantizeAndDequantizeV2").Gradient(StraightThrough);
RAMET_ROUNDING_OP("QuantizeAndDequantizeV4").Gradient(BoundedGradient);

RAMET_OP("QuantizeAndDequantizeV3")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Input("num_bits: int32")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("range_given: bool = true")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Doc(
        "Like QuantizeAndDequantizeV2, but num_bits is an input, a scalar. Error: the same as "
        "QuantizeAndDequantizeV2; num_bits is not a scalar.")
    .HostMemory({"num_bits"})
    .Shape(QuantizedShape<1>)
    .Gradient(StraightThrough)
    .CpuKernelClasses<RoundKernel, float, double>();

RAMET_OP("QuantizeAndDequantizeV4Grad")
    .Input("gradients: T")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Output("input_backprop: T")
    .Output("input_min_backprop: T")
    .Output("input_max_backprop: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("axis: int = -1")
    .Doc(
        "Returns the gradient of QuantizeAndDequantizeV4: `gradients` where the input is in the "
        "range, 0 elsewhere. The gradients of input_min and input_max are 0. Error: the shapes of "
        "`gradients` and `input` differ; `axis` is out of range; input_min or input_max has the "
        "wrong shape.")
    .Shape(QuantizedShape<2>)
    .CpuKernelClasses<BoundedGradKernel, float, double>();

}  // namespace
}  // namespace ramet
