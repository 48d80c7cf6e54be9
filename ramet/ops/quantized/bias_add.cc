#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/requantizer.h"

// Sums of a quantized tensor and a quantized vector.

namespace ramet {
namespace {

Status CheckBias(const Shape& x, const Shape& bias) {
  if (x.rank() < 2) return InvalidArgument("Input tensor must be at least 2D: ", x);
  if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: ", bias);
  if (bias.dim(0) != x.dim(x.rank() - 1)) {
    return InvalidArgument(
        "Must provide as many biases as the last dimension of the input tensor: ", bias, " vs. ",
        x);
  }
  if (bias.dim(0) == 0) return InvalidArgument("Must provide at least 1 bias");
  return OkStatus();
}

template <class Rep>
Status QuantizedBiasAdd(KernelContext& c) {
  const Tensor &x = c.input(0), &bias = c.input(1);
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange x_range,
                         ReadRange(c, 2, "min_input", "max_input", BoundError::kQuotedRank));
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange bias_range,
                         ReadRange(c, 4, "min_bias", "max_bias", BoundError::kQuotedRank));
  RAMET_RETURN_IF_ERROR(CheckBias(x.shape(), bias.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kQInt32, x.shape()));
  const QuantizedRange range = SumRange(x_range, bias_range, 17);
  const Requantizer<Rep, int32_t> of_x(x_range, range), of_bias(bias_range, range);
  const int32_t zero = StepOf<int32_t>(0, range);
  const auto* in = static_cast<const Rep*>(x.raw_data());
  const auto* added = static_cast<const Rep*>(bias.raw_data());
  auto* out = static_cast<int32_t*>(y->raw_data());
  const int64_t size = bias.num_elements();
  for (int64_t row = 0; row < x.num_elements(); row += size) {
    for (int64_t i = 0; i < size; ++i) {
      out[row + i] = WrappingAdd(of_x(in[row + i]), WrappingAdd(of_bias(added[i]), zero));
    }
  }
  return WriteRange(c, 1, range);
}

Status QuantizedBiasAddShape(ShapeContext& c) {
  static const Op* const plain = OpRegistry::Global().Find("BiasAdd");
  RAMET_RETURN_IF_ERROR(plain->shape_fn()(c));
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 2));
  return SetQuantizedShape(c, c.output(0));
}

template <class Q>
class BiasAddOf {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DTypeOf<Q>::value, DTypeOf<Q>::value};
    return TypedKernel::For(node, types, DType::kQInt32, QuantizedBiasAdd<decltype(Q::value)>);
  }
};

RAMET_OP("QuantizedBiasAdd")
    .Input("input: T1")
    .Input("bias: T2")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_bias: float")
    .Input("max_bias: float")
    .Output("output: out_type")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("T2: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("out_type: {qint8, quint8, qint32, qint16, quint16}")
    .Doc(
        "Adds `bias`, a vector, to each row of the last dimension of `input`. Both are quantized "
        "numbers in the given ranges. The sums have 32 bits and the range [min_out, max_out], "
        "which is symmetric and 2^17 times as wide as the wider one. Error: a bound of a range is "
        "not a scalar; `input` has fewer than two dimensions; `bias` is not a vector with an "
        "element for each column of `input`; the types are not qint8 or quint8 for both, and "
        "qint32 for the output (kUnimplemented).")
    .Shape(QuantizedBiasAddShape)
    .CpuKernelClasses<BiasAddOf, QInt8, QUInt8>("T1");

}  // namespace
}  // namespace ramet
