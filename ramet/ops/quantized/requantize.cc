#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/requantizer.h"

// Sums in 32 bits turned into bytes, and the range of the sums that occur.

namespace ramet {
namespace {

// Returns the range of the numbers in input 0, extended to include 0 if all are positive.
QuantizedRange UsedRange(const Tensor& x, QuantizedRange range) {
  int32_t lowest = std::numeric_limits<int32_t>::max();
  int32_t highest = std::numeric_limits<int32_t>::min();
  const auto* in = static_cast<const int32_t*>(x.raw_data());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    lowest = std::min(lowest, in[i]);
    highest = std::max(highest, in[i]);
  }
  return {std::min(0.0F, FloatOf(lowest, range)), FloatOf(highest, range)};
}

template <class To>
Status WriteRequantized(KernelContext& c, DType to, QuantizedRange from, QuantizedRange asked) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, to, x.shape()));
  const auto* in = static_cast<const int32_t*>(x.raw_data());
  const Requantizer<int32_t, To> requantize(from, asked);
  std::transform(in, in + x.num_elements(), static_cast<To*>(y->raw_data()), requantize);
  return WriteRange(c, 1, asked);
}

Status QuantizeDown(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                         ReadRange(c, 1, "input_min", "input_max", BoundError::kQuotedRank));
  return WriteRequantized<uint8_t>(c, DType::kQUInt8, range, UsedRange(c.input(0), range));
}

template <class To>
Status Requantize(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                         ReadRange(c, 1, "input_min", "input_max", BoundError::kQuotedRank));
  RAMET_ASSIGN_OR_RETURN(
      const QuantizedRange asked,
      ReadRange(c, 3, "requested_output_min", "requested_output_max", BoundError::kQuotedRank));
  if (!(asked.low <= 0)) {
    return InvalidArgument("requested_output_min must be <= 0, but got ", asked.low);
  }
  if (!(asked.high >= asked.low)) {
    return InvalidArgument("requested_output_max must be >= requested_output_min, but got ",
                           asked.high, " and ", asked.low);
  }
  return WriteRequantized<To>(c, std::is_signed_v<To> ? DType::kQInt8 : DType::kQUInt8, range,
                              asked);
}

Status RequantizationRange(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                         ReadRange(c, 1, "Input min", "Input max", BoundError::kNotEmpty));
  return WriteRange(c, 0, UsedRange(c.input(0), range));
}

class QuantizeDownKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQInt32};
    return TypedKernel::For(node, types, DType::kQUInt8, QuantizeDown);
  }
};

template <class Q>
class RequantizeOf {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQInt32};
    return TypedKernel::For(node, types, DTypeOf<Q>::value, Requantize<decltype(Q::value)>);
  }
};

Status RangeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 1));
  c.set_output(0, Shape());
  c.set_output(1, Shape());
  return OkStatus();
}

RAMET_OP("QuantizeDownAndShrinkRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("out_type: {qint8, quint8, qint32, qint16, quint16}")
    .Doc(
        "Turns quantized numbers of 32 bits into bytes, whose range is that of the numbers that "
        "occur and includes 0 or starts below. Error: a bound of the range is not a scalar; the "
        "types are not qint32 and quint8 (kUnimplemented).")
    .Shape(QuantizedLikeInput)
    .CpuKernelClass<QuantizeDownKernel>();

RAMET_OP("Requantize")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Input("requested_output_min: float")
    .Input("requested_output_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("out_type: {qint8, quint8, qint32, qint16, quint16}")
    .Doc(
        "Turns quantized numbers of 32 bits into bytes of the range [requested_output_min, "
        "requested_output_max]; numbers outside of it become the nearest bound. Error: a bound is "
        "not a scalar; requested_output_min is positive or exceeds requested_output_max; the types "
        "are not qint32, and quint8 or qint8 (kUnimplemented).")
    .Shape(QuantizedLikeInput)
    .CpuKernelClasses<RequantizeOf, QUInt8, QInt8>("out_type");

RAMET_OP("RequantizationRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")
    .Doc(
        "Returns the range of the numbers in `input`, quantized numbers of 32 bits in the range "
        "[input_min, input_max]. It includes 0 or starts below. Error: a bound has no elements.")
    .Shape(RangeShape)
    .CpuKernel("Tinput", DType::kQInt32, RequantizationRange);

}  // namespace
}  // namespace ramet
