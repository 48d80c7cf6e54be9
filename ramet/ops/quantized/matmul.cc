#include <algorithm>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/quantized/products.h"
#include "ramet/ops/quantized/quantized_shape.h"
#include "ramet/ops/quantized/range.h"

// Products of quantized matrices.

namespace ramet {
namespace {

class QuantizedMatMul final : public Kernel {
 public:
  explicit QuantizedMatMul(const AttrMap& attrs)
      : transpose_a_(attrs.GetOr("transpose_a", false)),
        transpose_b_(attrs.GetOr("transpose_b", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const DType types[] = {DType::kQUInt8, DType::kQUInt8};
    RAMET_RETURN_IF_ERROR(TypedKernel::For(node, types, DType::kQInt32, nullptr).status());
    return std::unique_ptr<Kernel>(std::make_unique<QuantizedMatMul>(*node.attrs));
  }

  Status Compute(KernelContext& c) override {
    if (c.input(2).rank() != 0) {
      return InvalidArgument("min_a must be a scalar, but got shape", c.input(2).shape());
    }
    RAMET_ASSIGN_OR_RETURN(const QuantizedRange a_range,
                           ReadRange(c, 2, "min_a", "max_a", BoundError::kScalarShape));
    RAMET_ASSIGN_OR_RETURN(const QuantizedRange b_range,
                           ReadRange(c, 4, "min_b", "max_b", BoundError::kScalarShape));
    if (!(a_range.high > a_range.low)) return InvalidArgument("max_a must be larger than min_a.");
    if (!(b_range.high > b_range.low)) return InvalidArgument("max_b must be larger than min_b.");
    const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
    if (a.rank() != 2) return InvalidArgument("In[0] is not a matrix");
    if (b.rank() != 2) return InvalidArgument("In[1] is not a matrix");
    if (a.dim(transpose_a_ ? 0 : 1) != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument("Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
    }
    const Shape shape{a.dim(transpose_a_ ? 1 : 0), b.dim(transpose_b_ ? 0 : 1)};
    RAMET_RETURN_IF_ERROR(shape.Validate());
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kQInt32, shape));
    Multiply(c, a_range, b_range, *y);
    return WriteRange(c, 1, ProductRange<uint8_t, uint8_t, int32_t>(a_range, b_range));
  }

 private:
  void Multiply(const KernelContext& c, QuantizedRange a_range, QuantizedRange b_range,
                Tensor& y) const {
    const Tensor &a = c.input(0), &b = c.input(1);
    const int64_t k = a.dim(transpose_a_ ? 0 : 1);
    const CenteredMatrix<uint8_t> left{static_cast<const uint8_t*>(a.raw_data()),
                                       transpose_a_ ? 1 : a.dim(1), transpose_a_ ? a.dim(1) : 1,
                                       static_cast<int32_t>(UnclampedStepOf<uint8_t>(0, a_range))};
    const CenteredMatrix<uint8_t> right{static_cast<const uint8_t*>(b.raw_data()),
                                        transpose_b_ ? 1 : b.dim(1), transpose_b_ ? b.dim(1) : 1,
                                        static_cast<int32_t>(UnclampedStepOf<uint8_t>(0, b_range))};
    MultiplyCentered(left, right, y.dim(0), y.dim(1), k, static_cast<int32_t*>(y.raw_data()));
  }

  const bool transpose_a_, transpose_b_;
};

Status QuantizedMatMulShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckBoundShapes(c, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape a, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRank(1, 2));
  const bool transpose_a = c.attrs().GetOr("transpose_a", false);
  const bool transpose_b = c.attrs().GetOr("transpose_b", false);
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("Dimensions must be equal, but are ", inner_a, " and ", inner_b);
  }
  return SetQuantizedShape(c, Shape{a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
}

RAMET_OP("QuantizedMatMul")
    .Input("a: T1")
    .Input("b: T2")
    .Input("min_a: float")
    .Input("max_a: float")
    .Input("min_b: float")
    .Input("max_b: float")
    .Output("out: Toutput")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("T2: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("Toutput: {qint8, quint8, qint32, qint16, quint16} = DT_QINT32")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("Tactivation: {qint8, quint8, qint32, qint16, quint16} = DT_QUINT8")
    .Doc(
        "Returns the product of two matrices of quantized numbers in the given ranges, in 32 bits. "
        "With transpose_a or transpose_b, that matrix is transposed first. Error: an operand is "
        "not a matrix; the sizes do not match; a bound of a range is not a scalar; a range is "
        "empty; the types are not quint8 and qint32 (kUnimplemented).")
    .Shape(QuantizedMatMulShape)
    .CpuKernelClass<QuantizedMatMul>();

}  // namespace
}  // namespace ramet
