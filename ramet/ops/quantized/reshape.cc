#include "ramet/op/op.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Reshape of quantized tensors, whose range is passed on.

namespace ramet {
namespace {

const Op& PlainReshape() {
  static const Op* const op = OpRegistry::Global().Find("Reshape");
  return *op;
}

Status QuantizedReshape(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(const QuantizedRange range,
                         ReadRange(c, 2, "input_min", "input_max", BoundError::kScalarVector));
  RAMET_RETURN_IF_ERROR(PlainReshape().kernels().front().function(c));
  return WriteRange(c, 1, range);
}

Status QuantizedReshapeShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(PlainReshape().shape_fn()(c));
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 2));
  return SetQuantizedShape(c, c.output(0));
}

RAMET_OP("QuantizedReshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Doc(
        "Reshapes a quantized tensor as Reshape does, and returns its range. Error: that of "
        "Reshape; a bound of the range is not a scalar or a vector of one element.")
    .HostMemory({"shape"})
    .Shape(QuantizedReshapeShape)
    .CpuKernels<QUInt8, QInt32>([]<class>(KernelContext& c) { return QuantizedReshape(c); });

}  // namespace
}  // namespace ramet
