#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Activations of quantized tensors, whose range they keep.

namespace ramet {
namespace {

template <class Rep, bool bounded>
Status QuantizedRelu(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                         ReadRange(c, 1, "min_input", "max_input", BoundError::kQuotedRank));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  const Rep zero = StepOf<Rep>(0, range);
  const Rep six = bounded ? StepOf<Rep>(6, range) : std::numeric_limits<Rep>::max();
  const auto* in = static_cast<const Rep*>(x.raw_data());
  std::transform(in, in + x.num_elements(), static_cast<Rep*>(y->raw_data()),
                 [&](Rep step) { return std::min(std::max(step, zero), six); });
  return WriteRange(c, 1, range);
}

template <bool bounded>
struct ReluOf {
  template <class Q>
  class Made {
   public:
    static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
      const DType types[] = {DTypeOf<Q>::value};
      return TypedKernel::For(node, types, types[0], QuantizedRelu<decltype(Q::value), bounded>);
    }
  };
};

#define RAMET_QUANTIZED_RELU(name, bounded, doc)                                                \
  RAMET_OP(name)                                                                                \
      .Input("features: Tinput")                                                                \
      .Input("min_features: float")                                                             \
      .Input("max_features: float")                                                             \
      .Output("activations: out_type")                                                          \
      .Output("min_activations: float")                                                         \
      .Output("max_activations: float")                                                         \
      .Attr("Tinput: {qint8, quint8, qint32, qint16, quint16}")                                 \
      .Attr("out_type: {qint8, quint8, qint32, qint16, quint16} = DT_QUINT8")                   \
      .Doc(doc                                                                                  \
           " of quantized numbers in the range [min_features, max_features], which the result " \
           "keeps. Error: a bound of the range is not a scalar; the types of features and "     \
           "activations differ (kUnimplemented).")                                              \
      .Shape(QuantizedLikeInput)                                                                \
      .CpuKernelClasses<ReluOf<bounded>::Made, QUInt8, QInt32>("Tinput")

RAMET_QUANTIZED_RELU("QuantizedRelu", false, "Returns max(features, 0)");
RAMET_QUANTIZED_RELU("QuantizedRelu6", true, "Returns min(max(features, 0), 6)");

}  // namespace
}  // namespace ramet
