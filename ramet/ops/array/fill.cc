#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/list/list_math.h"

namespace ramet {
namespace {

Status Fill(KernelContext& c) {
  // As in TensorFlow, a scalar stands for a vector of one element if its rank is not known before.
  const Tensor& dims = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Shape shape,
                         ShapeArg(dims.rank() == 0 ? dims.Reshaped(Shape{1}) : dims, "dims"));
  const Tensor& value = c.input(1);
  if (value.num_elements() != 1 || value.rank() > 1) {
    return InvalidArgument("value must represent a scalar, got shape ", value.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, value.dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillWith(value, *y));
  return OkStatus();
}

Status FillShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_ASSIGN_OR_RETURN(const auto dims, KnownVector(c, 0));
  for (int i = 0; dims && i < dims->size(); ++i) {
    if ((*dims)[i] < 0) return InvalidArgument("Fill dimensions must be >= 0");
  }
  return ShapeFromInput<0>(c);
}

Status FillGradient(GradientContext& c) {
  const Output grad = c.grad();
  if (grad.shape().rank() == 0) return c.Return({Gradient(), grad});
  const Output axes = c.Add("Range", {Tensor(int32_t{0}), RankOf(c, grad), Tensor(int32_t{1})});
  return c.Return({Gradient(), c.Add("Sum", {grad, axes})});
}

Status ZerosLike(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.dtype() == DType::kVariant) return ZerosLikeVariants(c);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  return OkStatus();
}

constexpr auto kOnesLike = []<class T>(KernelContext& c) -> Status {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor one, Tensor::Allocate(x.dtype(), Shape()));
  *one.mutable_data<T>() = T(1.0f);
  return FillWith(one, *y);
};

// Returns the dimension of the result to which the attr `axis` of OneHot refers.
StatusOr<int> DepthAxis(int64_t axis, int indices_rank) {
  if (axis >= -1 && axis <= indices_rank) {
    return static_cast<int>(axis < 0 ? indices_rank : axis);
  }
  return InvalidArgument("Expected axis to be -1 or between [0, ", indices_rank + 1,
                         ").  But received: ", axis);
}

Shape WithDepth(const Shape& indices, int axis, int64_t depth) {
  return indices.Slice(0, axis)
      .Concatenate(Shape{depth})
      .Concatenate(indices.Slice(axis, indices.rank()));
}

// y is [outer, depth, inner], the indices [outer, inner].
template <class U>
void SetOnes(const Tensor& indices, int64_t depth, int64_t inner, const U& on, U* y) {
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t hot = IntegerAt(indices, i);
    if (hot >= 0 && hot < depth) y[(i / inner * depth + hot) * inner + i % inner] = on;
  }
}

class OneHotKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::make_unique<OneHotKernel>(node.attrs->GetOr<int64_t>("axis", -1));
  }
  explicit OneHotKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& c) override {
    const Tensor &indices = c.input(0), &on = c.input(2), &off = c.input(3);
    RAMET_ASSIGN_OR_RETURN(int axis, DepthAxis(axis_, indices.rank()));
    RAMET_RETURN_IF_ERROR(CheckScalars(c));
    const int64_t depth = IntegerAt(c.input(1), 0);
    if (depth < 0) return InvalidArgument("depth must be non-negative, got: ", depth);
    RAMET_ASSIGN_OR_RETURN(Shape shape,
                           Shape::Make(WithDepth(indices.shape(), axis, depth).dims()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, on.dtype(), shape));
    RAMET_RETURN_IF_ERROR(FillWith(off, *y));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t inner = Product(indices.shape(), axis, indices.rank());
    if (const DeviceMath* math = DeviceMath::Of(*y)) {
      return math->SetHot(depth, inner, indices, on, *y);
    }
    DispatchElement(on.dtype(), [&]<class U>() {
      SetOnes(indices, depth, inner, *static_cast<const U*>(on.raw_data()),
              static_cast<U*>(y->raw_data()));
    });
    return OkStatus();
  }

 private:
  static Status CheckScalars(const KernelContext& c) {
    constexpr const char* kNames[] = {"depth", "on_value", "off_value"};
    for (int i = 1; i < 4; ++i) {
      if (c.input(i).rank() == 0) continue;
      return InvalidArgument(kNames[i - 1], " must be a scalar, but got: ", c.input(i).shape());
    }
    return OkStatus();
  }

  const int64_t axis_;
};

Status OneHotShape(ShapeContext& c) {
  const Shape& indices = c.input(0);
  if (indices.unknown_rank()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(int axis, DepthAxis(c.attrs().GetOr<int64_t>("axis", -1), indices.rank()));
  const int64_t depth = KnownScalar(c, 1).value_or(Shape::kUnknownDim);
  if (c.constant(1) != nullptr && depth < 0) {
    return InvalidArgument("depth must be non-negative, got: ", depth);
  }
  c.set_output(0, WithDepth(indices, axis, depth));
  return OkStatus();
}

}  // namespace

RAMET_OP("Fill")
    .Foldable()
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .Doc(
        "Returns a tensor of shape `dims` in which every element is the scalar `value`. Error: "
        "`dims` is not a vector or has a negative element; `value` is not a scalar.")
    .HostMemory({"dims"})
    .Shape(FillShape)
    .Gradient(FillGradient)
    .CpuKernel(Fill);

RAMET_OP("ZerosLike")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Doc("Returns zeros (false, empty strings, lists of zeros) with the shape of `x`.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernel(ZerosLike);

RAMET_OP("OnesLike")
    .Foldable()
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
        "uint64, complex64, complex128, bool}")
    .Doc("Returns ones (true for bool) with the shape of `x`.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernels<BFloat16, Half, float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t,
                uint32_t, int64_t, uint64_t, std::complex<float>, std::complex<double>, bool>(
        kOnesLike);

RAMET_OP("OneHot")
    .Foldable()
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
    .Doc(
        "Returns `indices` with a new dimension of size `depth` at `axis` (-1 is the last). Along "
        "it, the position given by the index holds on_value and all others hold off_value. An "
        "index outside [0, depth) gives only off_value. depth, on_value and off_value are scalars. "
        "Error: one of these is not a scalar; `depth` is negative; `axis` is not in [-1, rank].")
    .HostMemory({"depth"})
    .Shape(OneHotShape)
    .NotDifferentiable()
    .CpuKernelClass<OneHotKernel>();

}  // namespace ramet
