#include "ramet/ops/array/identity.h"

#include <cstring>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {

Status ForwardInput(KernelContext& c) {
  // The executor refuses uninitialized variables, but their handles may be passed on.
  if (VariableState* variable = c.variable(0)) {
    c.SetRefOutput(0, variable);
  } else {
    c.SetOutput(0, c.input(0));
  }
  return OkStatus();
}

Status ForwardValue(KernelContext& c, int i) {
  if (c.input(i).empty()) return c.ForwardRef(i, i);
  c.SetOutput(i, c.input(i));
  return OkStatus();
}

namespace {

Status ForwardAll(KernelContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RAMET_RETURN_IF_ERROR(ForwardValue(c, i));
  return OkStatus();
}

Status ForwardRefInput(KernelContext& c) { return c.ForwardRef(0, 0); }

Status CopyInput(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  return CopyAll(x, *y);
}

Status IdentityNGradient(GradientContext& c) {
  std::vector<Gradient> grads;
  for (int i = 0; i < c.num_outputs(); ++i) grads.push_back(c.raw_grad(i));
  return c.Return(std::move(grads));
}

Status RefuseGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string message, c.attr<std::string>("message"));
  return InvalidArgument("Gradient explicitly disabled. Reason: ", message);
}

// In an Inf or NaN, all exponent bits are set; in a NaN, some mantissa bits are set too.
template <class T>
struct FloatBits;
template <>
struct FloatBits<Half> {
  using Bits = uint16_t;
  static constexpr Bits kExponent = 0x7C00, kMantissa = 0x03FF;
};
template <>
struct FloatBits<BFloat16> {
  using Bits = uint16_t;
  static constexpr Bits kExponent = 0x7F80, kMantissa = 0x007F;
};
template <>
struct FloatBits<float> {
  using Bits = uint32_t;
  static constexpr Bits kExponent = 0x7F800000, kMantissa = 0x007FFFFF;
};
template <>
struct FloatBits<double> {
  using Bits = uint64_t;
  static constexpr Bits kExponent = 0x7FF0000000000000, kMantissa = 0x000FFFFFFFFFFFFF;
};

// Returns "Inf", "NaN" or "Inf and NaN", or "" if all elements are finite.
template <class T>
std::string_view NonFinite(const Tensor& t) {
  using F = FloatBits<T>;
  const std::span bits(static_cast<const typename F::Bits*>(t.raw_data()), t.num_elements());
  int bad = 0;
  for (auto b : bits) bad |= (b & F::kExponent) == F::kExponent;
  if (bad == 0) return "";
  bool inf = false, nan = false;
  for (auto b : bits) {
    if ((b & F::kExponent) != F::kExponent) continue;
    ((b & F::kMantissa) != 0 ? nan : inf) = true;
  }
  return inf && nan ? "Inf and NaN" : inf ? "Inf" : "NaN";
}

template <class T>
class CheckNumericsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(std::string message, node.attrs->Get<std::string>("message"));
    return std::make_unique<CheckNumericsKernel>(std::move(message));
  }
  explicit CheckNumericsKernel(std::string message) : message_(std::move(message)) {}

  Status Compute(KernelContext& c) override {
    const std::string_view found = NonFinite<T>(c.input(0));
    if (!found.empty()) return InvalidArgument(message_, " : Tensor had ", found, " values");
    c.SetOutput(0, c.input(0));
    return OkStatus();
  }

 private:
  const std::string message_;
};

Status CheckNumericsGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(std::string message, c.attr<std::string>("message"));
  const std::string text =
      StrCat("Not a number (NaN) or infinity (Inf) values detected in gradient. ", message);
  return c.Return({c.Add("CheckNumerics", {c.grad()}, {{"message", text}})});
}

class EnsureShapeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(Shape shape, node.attrs->Get<Shape>("shape"));
    return std::make_unique<EnsureShapeKernel>(node.name, std::move(shape));
  }
  EnsureShapeKernel(std::string name, Shape shape)
      : name_(std::move(name)), shape_(std::move(shape)) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    if (!shape_.IsCompatibleWith(x.shape())) {
      return InvalidArgument("Shape of tensor ", name_, " ", x.shape(),
                             " is not compatible with expected shape ", shape_, ".");
    }
    c.SetOutput(0, x);
    return OkStatus();
  }

 private:
  const std::string name_;
  const Shape shape_;
};

Status EnsureShapeShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  RAMET_ASSIGN_OR_RETURN(Shape merged, c.input(0).MergeWith(shape));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

// Returns the shape of a tensor of shape `shape` whose elements of `from` bytes are reinterpreted
// as elements of `to` bytes.
StatusOr<Shape> BitcastShape(const Shape& shape, int64_t from, int64_t to) {
  if (from == 0 || to == 0) return InvalidArgument("Cannot bitcast types without a fixed size");
  if (shape.unknown_rank() || from == to) return shape;
  if (from > to) return Shape::Make(shape.Concatenate(Shape{from / to}).dims());
  if (shape.rank() == 0) {
    return InvalidArgument("Cannot bitcast from a ", from, "-byte dtype to a ", to,
                           "-byte dtype: the input is a scalar");
  }
  const int64_t last = shape.dim(shape.rank() - 1);
  if (last >= 0 && last != to / from) {
    return InvalidArgument("Cannot bitcast due to shape. ", last, " does not match ", to / from);
  }
  return shape.Slice(0, shape.rank() - 1);
}

class BitcastKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(DType type, node.attrs->Get<DType>("type"));
    return std::make_unique<BitcastKernel>(type);
  }
  explicit BitcastKernel(DType type) : type_(type) {}

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Shape shape,
                           BitcastShape(x.shape(), DTypeSize(x.dtype()), DTypeSize(type_)));
    c.SetOutput(0, Tensor(type_, std::move(shape), x.buffer()));
    return OkStatus();
  }

 private:
  const DType type_;
};

Status BitcastShapeFn(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(DType from, c.attr<DType>("T"));
  RAMET_ASSIGN_OR_RETURN(DType to, c.attr<DType>("type"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, BitcastShape(c.input(0), DTypeSize(from), DTypeSize(to)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

RAMET_OP("Identity")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc(
        "Returns `input` unchanged. If `input` is a variable, consumers see the value that it has "
        "when they run. Error: the variable is uninitialized (kFailedPrecondition).")
    .Shape(UnchangedShape)
    .Gradient(PassGradient)
    .CpuKernel(ForwardInput);

RAMET_OP("IdentityN")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .Doc("Returns all inputs unchanged.")
    .Shape(PairwiseShapes)
    .Gradient(IdentityNGradient)
    .CpuKernel(ForwardAll);

RAMET_OP("RefIdentity")
    .Input("input: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Doc("Returns the variable `input`, which may be uninitialized.")
    .AllowsUninitializedInput()
    .Shape(UnchangedShape)
    .Gradient(PassGradient)
    .CpuKernel(ForwardRefInput);

RAMET_OP("StopGradient")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc("Returns `input` unchanged and stops gradients: none flow back to `input`.")
    .Shape(UnchangedShape)
    .NotDifferentiable()
    .CpuKernel(ForwardInput);

RAMET_OP("PreventGradient")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .Doc(
        "Returns `input` unchanged. Asking for a gradient through it is an error that quotes "
        "`message`.")
    .Shape(UnchangedShape)
    .Gradient(RefuseGradient)
    .CpuKernel(ForwardInput);

RAMET_OP("Snapshot")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc("Returns the current value of `input`; later changes to a variable do not affect it.")
    .Shape(UnchangedShape)
    .CpuKernel(ForwardAll);

RAMET_OP("GuaranteeConst")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Stateful()
    .Doc(
        "Returns `input` unchanged. A program promises by it that the value does not change "
        "between runs; Ramet does not use the promise.")
    .Shape(UnchangedShape)
    .CpuKernel(ForwardAll);

RAMET_OP("DeepCopy")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Doc("Returns a copy of `x` in its own memory.")
    .Stateful()
    .Shape(UnchangedShape)
    .CpuKernel(CopyInput);

RAMET_OP("CheckNumerics")
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .Doc(
        "Returns `tensor` unchanged if all its elements are finite. Error: some are not (\"MESSAGE "
        ": Tensor had Inf and NaN values\").")
    .Stateful()
    .Shape(UnchangedShape)
    .Gradient(CheckNumericsGradient)
    .CpuKernelClasses<CheckNumericsKernel, BFloat16, Half, float, double>();

RAMET_OP("EnsureShape")
    .Foldable()
    .Input("input: T")
    .Output("output: T")
    .Attr("shape: shape")
    .Attr("T: type")
    .Doc(
        "Returns `input` unchanged if its shape is compatible with `shape`, which may be partial. "
        "Error: it is not.")
    .Shape(EnsureShapeShape)
    .Gradient(PassGradient)
    .CpuKernelClass<EnsureShapeKernel>();

RAMET_OP("Bitcast")
    .Foldable()
    .Input("input: T")
    .Output("output: type")
    .Attr(
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, "
        "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
    .Attr(
        "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
        "int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
    .Doc(
        "Returns the bytes of `input` reinterpreted as elements of `type`. If `type` is narrower, "
        "the output gets a new last dimension whose size is the ratio of the element sizes. If "
        "`type` is wider, the last dimension of the input must have that size, and is dropped. "
        "Error: it does not have that size; an element type has no fixed size.")
    .Shape(BitcastShapeFn)
    .CpuKernelClass<BitcastKernel>();

}  // namespace ramet
