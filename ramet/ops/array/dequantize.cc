#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/array/quantize_util.h"
#include "ramet/tensor/quantized.h"

// Dequantize: quantized integers to floats.

namespace ramet {
namespace {

// Maps quantized integers to the floats that they represent in the range [low, high].
template <class Rep>
class Dequantizer {
 public:
  using Limits = std::numeric_limits<Rep>;

  Dequantizer(const QuantizeAttrs& attrs, float low, float high)
      : mode_(attrs.mode), whole_(attrs.axis == -1), low_(low), high_(high) {
    const auto lowest = static_cast<float>(Limits::min() + (attrs.narrow_range ? 1 : 0));
    const auto highest = static_cast<float>(Limits::max());
    switch (mode_) {
      case QuantizeMode::kMinCombined:
        scale_ = (high - low) / (highest - static_cast<float>(Limits::min()));
        return;
      case QuantizeMode::kMinFirst: scale_ = static_cast<float>((high - low) / Steps()); return;
      case QuantizeMode::kScaled:
        scale_ = Limits::min() == 0 ? high / highest : std::max(low / lowest, high / highest);
    }
  }

  void Run(const Rep* q, float* y, int64_t n) const {
    switch (mode_) {
      case QuantizeMode::kMinCombined: return Combined(q, y, n);
      case QuantizeMode::kMinFirst: return MinFirst(q, y, n);
      case QuantizeMode::kScaled: return whole_ ? Whole(q, y, n) : Scaled(q, y, n);
    }
  }

 private:
  static constexpr double Steps() { return static_cast<double>(Limits::max()) - Limits::min(); }

  void Combined(const Rep* q, float* y, int64_t n) const {
    const float half = std::is_signed_v<Rep> ? static_cast<float>((Steps() + 1) / 2) : 0;
    std::transform(q, q + n, y,
                   [&](Rep v) { return (static_cast<float>(v) + half) * scale_ + low_; });
  }

  void Scaled(const Rep* q, float* y, int64_t n) const {
    std::transform(q, q + n, y, [&](Rep v) { return static_cast<float>(v) * scale_; });
  }

  // Used if the whole tensor has one range. Values pass through a float to an int32 and back, as in
  // TensorFlow, so the largest 32-bit integers turn into the smallest one.
  void Whole(const Rep* q, float* y, int64_t n) const {
    std::transform(q, q + n, y, [&](Rep v) {
      return static_cast<float>(ToInt32(static_cast<float>(v))) * scale_;
    });
  }

  float RoundedLow() const { return low_ == high_ ? low_ : std::round(low_ / scale_) * scale_; }

  void MinFirst(const Rep* q, float* y, int64_t n) const {
    const float start = RoundedLow() - static_cast<float>(Limits::min()) * scale_;
    std::transform(q, q + n, y, [&](Rep v) { return start + static_cast<float>(v) * scale_; });
  }

  const QuantizeMode mode_;
  const bool whole_;
  const float low_, high_;
  float scale_ = 0;
};

template <class Q>
class DequantizeKernel final : public Kernel {
 public:
  using Rep = decltype(Q::value);

  DequantizeKernel(QuantizeAttrs attrs, DType dtype) : attrs_(std::move(attrs)), dtype_(dtype) {}

  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(QuantizeAttrs attrs, QuantizeAttrs::Of(node));
    const DType dtype = node.output_types[0];
    if (dtype != kFloat && attrs.mode != QuantizeMode::kMinCombined) {
      return InvalidArgument(
          "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '", attrs.mode_name,
          "'");
    }
    return std::unique_ptr<Kernel>(std::make_unique<DequantizeKernel>(std::move(attrs), dtype));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &q = c.input(0), &low = c.input(1), &high = c.input(2);
    RAMET_RETURN_IF_ERROR(Check(q, low, high));
    const auto* in = static_cast<const Rep*>(q.raw_data());
    RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(kFloat, q.shape()));
    QuantizedSlices::Of(q.shape(), attrs_.axis)
        .ForEachRun([&](int64_t slice, int64_t first, int64_t n) {
          Dequantizer<Rep>(attrs_, low.data<float>()[slice], high.data<float>()[slice])
              .Run(in + first, y.mutable_data<float>() + first, n);
        });
    if (dtype_ == kBFloat16) return SetShort(c, y);
    c.SetOutput(0, std::move(y));
    return OkStatus();
  }

 private:
  static Status SetShort(KernelContext& c, const Tensor& floats) {
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kBFloat16, floats.shape()));
    std::ranges::transform(floats.flat<float>(), y->mutable_data<BFloat16>(),
                           [](float v) { return BFloat16(v); });
    return OkStatus();
  }

  Status Check(const Tensor& q, const Tensor& low, const Tensor& high) const {
    if (attrs_.axis >= q.rank()) {
      return InvalidArgument("Axis must be less than input dimension(", q.rank(), "), got ",
                             attrs_.axis);
    }
    const int64_t expected = attrs_.axis == -1 ? 1 : q.dim(attrs_.axis);
    for (const Tensor* range : {&low, &high}) {
      if (range->num_elements() == expected) continue;
      return InvalidArgument(range == &low ? "input_min_tensor" : "input_max_tensor",
                             " must have as many elements as input on the dequantization axis (",
                             attrs_.axis, "), got ", range->num_elements(), ", expected ",
                             expected);
    }
    if (attrs_.mode == QuantizeMode::kMinFirst && attrs_.axis != -1 && expected != 1) {
      return Unimplemented("MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
    }
    return OkStatus();
  }

  const QuantizeAttrs attrs_;
  const DType dtype_;
};

RAMET_OP("Dequantize")
    .Input("input: T")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: dtype")
    .Attr("T: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("dtype: {bfloat16, float} = float")
    .Doc(
        "Returns the floats that the quantized integers `input` represent in the range [min_range, "
        "max_range]. It is the inverse of QuantizeV2 and has the same modes. With `axis`, each "
        "slice along that axis has its own range. The output has the shape of the input. Error: "
        "min_range or max_range has the wrong number of elements; `axis` is out of range; mode "
        "MIN_FIRST is used with an axis (kUnimplemented); dtype is bfloat16 and mode is not "
        "MIN_COMBINED.")
    .Shape(QuantizedShape<1>)
    .CpuKernelClasses<DequantizeKernel, RAMET_QUANTIZED>();

}  // namespace
}  // namespace ramet
