#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/array/quantize_util.h"
#include "ramet/tensor/quantized.h"

// QuantizeV2: floats to quantized integers.

namespace ramet {
namespace {

struct Range {
  float low, high;
};

// Quantizes a slice with a given range. Rep is the type of the integers.
template <class Rep>
class Quantizer {
 public:
  using Limits = std::numeric_limits<Rep>;

  Quantizer(const QuantizeAttrs& attrs, bool half_to_even, float least_width, Range given)
      : attrs_(attrs), half_to_even_(half_to_even) {
    const float magnitude = std::max({1.0F, std::fabs(given.low), std::fabs(given.high)});
    range_.low = std::min(0.0F, given.low);
    range_.high = std::max(0.0F, std::max(given.high, range_.low + magnitude * least_width));
  }

  // Quantizes n numbers and returns the range that the integers represent.
  Range Run(const float* x, Rep* y, int64_t n) const {
    switch (attrs_.mode) {
      case QuantizeMode::kMinCombined: return Combined(x, y, n);
      case QuantizeMode::kMinFirst: return MinFirst(x, y, n);
      case QuantizeMode::kScaled: return Scaled(x, y, n);
    }
    return range_;
  }

 private:
  float Bounded(float x) const { return std::max(std::min(x, range_.high), range_.low); }

  Range Combined(const float* x, Rep* y, int64_t n) const {
    const auto steps = static_cast<double>(Limits::max()) - static_cast<double>(Limits::min());
    const auto scale = static_cast<float>(steps / (range_.high - range_.low));
    const auto half = static_cast<float>((steps + 1) / 2);
    for (int64_t i = 0; i < n; ++i) {
      const float step = (Bounded(x[i]) - range_.low) * scale;
      y[i] =
          static_cast<Rep>(ToInt32(std::is_signed_v<Rep> ? std::round(step - half) : step + 0.5F));
    }
    return range_;
  }

  Range MinFirst(const float* x, Rep* y, int64_t n) const {
    constexpr auto kSteps = static_cast<double>(Limits::max()) - Limits::min();
    const float width = range_.high - range_.low;
    const auto scale = width == 0 ? 0.0F : static_cast<float>(kSteps / width);
    const float first = std::round(range_.low * scale) - static_cast<float>(Limits::min());
    const auto highest = sizeof(Rep) == 4 ? 2147483520.0F : static_cast<float>(Limits::max());
    for (int64_t i = 0; i < n; ++i) {
      const float step = std::round(x[i] * scale) - first;
      const float bounded = std::min(std::max(step, static_cast<float>(Limits::min())), highest);
      y[i] = static_cast<Rep>(ToInt32(bounded));
    }
    return range_;
  }

  Range Scaled(const float* x, Rep* y, int64_t n) const {
    const auto lowest = static_cast<float>(Limits::min() + (attrs_.narrow_range ? 1 : 0));
    const auto highest = static_cast<float>(Limits::max());
    constexpr float kNone = std::numeric_limits<float>::max();
    const float by_low = lowest * range_.low > 0 ? lowest / range_.low : kNone;
    const float by_high = highest * range_.high > 0 ? highest / range_.high : kNone;
    const float scale = std::min(by_low, by_high);
    for (int64_t i = 0; i < n; ++i) {
      const float step = ScaledBounded(x[i], {lowest / scale, highest / scale}) * scale;
      y[i] = static_cast<Rep>(ToInt32(half_to_even_ ? std::rint(step) : std::round(step)));
    }
    return {lowest / scale, highest / scale};
  }

  static float ScaledBounded(float x, Range range) {
    return std::max(std::min(x, range.high), range.low);
  }

  const QuantizeAttrs& attrs_;
  const bool half_to_even_;
  Range range_;
};

Status CheckRange(const Tensor& x, const Tensor& range, std::string_view name, int axis) {
  if (axis == -1) {
    if (range.num_elements() == 1) return OkStatus();
    return InvalidArgument("If axis is not specified, ", name,
                           " must contain a single float element, but it contains ",
                           range.num_elements(), " elements");
  }
  if (range.rank() == 1 && range.dim(0) == x.dim(axis)) return OkStatus();
  const std::string message =
      StrCat("If axis is specified, ", name,
             " must be a 1-D tensor whose size matches the axis dimension of the input and output "
             "tensors, but ",
             name);
  if (range.rank() != 1) return InvalidArgument(message, " dims are ", range.rank());
  return InvalidArgument(message, " is a 1-D tensor of size ", range.dim(0),
                         " and input's axis dimension is of size ", x.dim(axis));
}

template <class Q>
class QuantizeKernel final : public Kernel {
 public:
  using Rep = decltype(Q::value);

  QuantizeKernel(QuantizeAttrs attrs, const AttrMap& all)
      : attrs_(std::move(attrs)),
        half_to_even_(all.GetOr<std::string>("round_mode", "") == "HALF_TO_EVEN"),
        least_width_(all.GetOr("ensure_minimum_range", 0.01F)) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(QuantizeAttrs attrs, QuantizeAttrs::Of(node));
    auto kernel = std::make_unique<QuantizeKernel>(std::move(attrs), *node.attrs);
    if (kernel->half_to_even_ && kernel->attrs_.mode != QuantizeMode::kScaled) {
      return InvalidArgument(
          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '",
          kernel->attrs_.mode_name, "'.");
    }
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &x = c.input(0), &low = c.input(1), &high = c.input(2);
    RAMET_RETURN_IF_ERROR(Check(x, low, high));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<Q>::value, x.shape()));
    const Shape ranges = attrs_.axis == -1 ? Shape() : low.shape();
    RAMET_ASSIGN_OR_RETURN(Tensor * y_low, c.Allocate(1, kFloat, ranges));
    RAMET_ASSIGN_OR_RETURN(Tensor * y_high, c.Allocate(2, kFloat, ranges));
    auto* out = static_cast<Rep*>(y->raw_data());
    const auto run = [&](int64_t slice, int64_t first, int64_t n) {
      const Quantizer<Rep> quantizer(attrs_, half_to_even_, least_width_,
                                     {low.data<float>()[slice], high.data<float>()[slice]});
      const Range range = quantizer.Run(x.data<float>() + first, out + first, n);
      y_low->mutable_data<float>()[slice] = range.low;
      y_high->mutable_data<float>()[slice] = range.high;
    };
    for (int64_t slice = 0; slice < low.num_elements(); ++slice) run(slice, 0, 0);
    QuantizedSlices::Of(x.shape(), attrs_.axis).ForEachRun(run);
    return OkStatus();
  }

 private:
  Status Check(const Tensor& x, const Tensor& low, const Tensor& high) const {
    if (attrs_.axis >= x.rank()) {
      return InvalidArgument(
          "Axis is on a zero-based index, so its value must always be less than number of input's "
          "dims, but given axis value was ",
          attrs_.axis, " and input's dims was ", x.rank());
    }
    RAMET_RETURN_IF_ERROR(CheckRange(x, low, "min_range", attrs_.axis));
    RAMET_RETURN_IF_ERROR(CheckRange(x, high, "max_range", attrs_.axis));
    if (attrs_.mode == QuantizeMode::kMinFirst && low.num_elements() != 1) {
      return Unimplemented("MIN_FIRST mode is not implemented for Quantize with axis != -1.");
    }
    for (int64_t i = 0; i < low.num_elements(); ++i) {
      if (high.data<float>()[i] < low.data<float>()[i]) {
        return InvalidArgument("input_max_range must be larger than input_min_range.");
      }
    }
    return OkStatus();
  }

  const QuantizeAttrs attrs_;
  const bool half_to_even_;
  const float least_width_;
};

RAMET_OP("QuantizeV2")
    .Input("input: float")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("ensure_minimum_range: float = 0.01")
    .Doc(
        "Returns the input as quantized integers of type T, and the range that they represent. "
        "This range includes [min_range, max_range] and 0 and is at least ensure_minimum_range "
        "wide, times the larger absolute bound if that exceeds 1. Mode MIN_COMBINED spreads the "
        "range over all values of T. MIN_FIRST does the same but maps 0 to an integer exactly. "
        "SCALED multiplies by a single factor, so 0 stays 0; with narrow_range it does not use the "
        "lowest integer. With `axis`, each slice along that axis has its own range. The output has "
        "the shape of the input. Error: max_range is less than min_range; a range has the wrong "
        "shape; `axis` is out of range; round_mode is HALF_TO_EVEN and mode is not SCALED; mode "
        "MIN_FIRST is used with an axis (kUnimplemented).")
    .Shape(QuantizedShape<1>)
    .CpuKernelClasses<QuantizeKernel, RAMET_QUANTIZED>();

}  // namespace
}  // namespace ramet
