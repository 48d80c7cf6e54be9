#include "ramet/linalg/argmax.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/types.h"

// ArgMax and ArgMin: the index of the largest or smallest element along a dimension.

namespace ramet {
namespace {

Shape Without(const Shape& shape, int axis) {
  Shape result = shape.Slice(0, axis);
  for (int d = axis + 1; d < shape.rank(); ++d) result.Append(shape.dim(d));
  return result;
}

Status AxisError(int64_t axis, int rank) {
  return InvalidArgument("Expected dimension in the range [", -rank, ", ", rank, "), but got ",
                         axis);
}

template <bool kMax>
class ArgReduceKernel final : public Kernel {
 public:
  explicit ArgReduceKernel(DType index) : index_(index) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType index, node.attrs->Get<DType>("output_type"));
    return std::unique_ptr<Kernel>(std::make_unique<ArgReduceKernel>(index));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    const int rank = x.rank();
    if (c.input(1).rank() != 0) {
      return InvalidArgument("dim must be a scalar, but received tensor of shape: ",
                             c.input(1).shape());
    }
    int64_t axis = IntegerAt(c.input(1), 0);
    if (axis < -rank || axis >= rank) return AxisError(axis, rank);
    if (axis < 0) axis += rank;
    const int dim = static_cast<int>(axis);
    if (x.dim(dim) == 0) {
      return InvalidArgument("Reduction axis ", dim, " is empty in shape ", x.shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, index_, Without(x.shape(), dim)));
    if (y->num_elements() == 0) return OkStatus();
    return ArgReduce(kMax, Product(x.shape(), 0, dim), x.dim(dim),
                     Product(x.shape(), dim + 1, rank), x, *y);
  }

 private:
  const DType index_;
};

template <bool kMax>
struct ArgReduction {
  template <class T>
  using Of = ArgReduceKernel<kMax>;
};

Status ArgReduceShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const Shape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  if (x.rank() <= 1) {
    c.set_output(0, Shape());
    return OkStatus();
  }
  const Tensor* dimension = c.constant(1);
  if (dimension == nullptr) {
    c.set_output(0, Shape::OfRank(x.rank() - 1));
    return OkStatus();
  }
  const int64_t axis = IntegerAt(*dimension, 0);
  if (axis < -x.rank() || axis >= x.rank()) return AxisError(axis, x.rank());
  c.set_output(0, Without(x, static_cast<int>(axis < 0 ? axis + x.rank() : axis)));
  return OkStatus();
}

constexpr char kAttrElements[] =
    "T: {realnumbertype, qint8, quint8, qint32, qint16, quint16, bool}";

RAMET_OP("ArgMax")
    .Foldable()
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr(kAttrElements)
    .Attr("Tidx: {int16, int32, int64} = int32")
    .Attr("output_type: {int16, uint16, int32, int64} = int64")
    .HostMemory({"dimension"})
    .Doc(
        "Returns the index of the largest element along `dimension`, a scalar (negative counts "
        "from the end), or of the first of equal ones. The output does not have that dimension. "
        "Error: `dimension` is not a scalar or is out of range; the size of the dimension is 0.")
    .Shape(ArgReduceShape)
    .CpuKernelClasses<ArgReduction<true>::template Of, RAMET_REALS, bool>()
    .NotDifferentiable();

RAMET_OP("ArgMin")
    .Foldable()
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr(kAttrElements)
    .Attr("Tidx: {int32, int64} = int32")
    .Attr("output_type: {int32, int64} = int64")
    .HostMemory({"dimension"})
    .Doc(
        "Returns the index of the smallest element along `dimension`, a scalar (negative counts "
        "from the end), or of the first of equal ones. The output does not have that dimension. "
        "Error: `dimension` is not a scalar or is out of range; the size of the dimension is 0.")
    .Shape(ArgReduceShape)
    .CpuKernelClasses<ArgReduction<false>::template Of, RAMET_REALS, bool>()
    .NotDifferentiable();

}  // namespace
}  // namespace ramet
