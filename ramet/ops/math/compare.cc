#include <cmath>

#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/types.h"
#include "ramet/tensor/quantized.h"

// Comparisons and logic, element-wise with broadcasting.

namespace ramet {
namespace {

using linalg::BinaryOp;
using linalg::UnaryOp;

constexpr char kAttrOrdered[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

#define RAMET_ORDER_OP(name, kind)                             \
  RAMET_OP(name)                                               \
      .Foldable()                                              \
      .Input("x: T")                                           \
      .Input("y: T")                                           \
      .Output("z: bool")                                       \
      .Attr(kAttrOrdered)                                      \
      .Shape(BroadcastBinaryShape)                             \
      .CpuKernels<RAMET_REALS>(BinaryKernel<BinaryOp::kind>()) \
      .NotDifferentiable()

// Compares strings, or quantized numbers by their stored representation.
template <class T>
Status CompareElements(KernelContext& c, bool equal) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(x.shape(), y.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, kBool, shape));
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(x.shape().dims(), y.shape().dims(), &plan);
  const T* a = static_cast<const T*>(x.raw_data());
  const T* b = static_cast<const T*>(y.raw_data());
  bool* out = z->mutable_data<bool>();
  ForEachBroadcast<2>(plan,
                      [&](int64_t i, const auto& at) { out[i] = (a[at[0]] == b[at[1]]) == equal; });
  return OkStatus();
}

// The kernel of Equal and NotEqual. Tensors whose shapes do not broadcast are unequal if
// incompatible_shape_error is false.
class EqualityKernel final : public Kernel {
 public:
  explicit EqualityKernel(const KernelNode& node)
      : equal_(node.op == "Equal"), strict_(node.attrs->GetOr("incompatible_shape_error", true)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<EqualityKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Shape& x = c.input(0).shape();
    const Shape& y = c.input(1).shape();
    linalg::BroadcastPlan plan;
    if (!strict_ && x != y && !linalg::BroadcastPlan::Make(x.dims(), y.dims(), &plan)) {
      RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, kBool, Shape()));
      *z->mutable_data<bool>() = !equal_;
      return OkStatus();
    }
    switch (c.input(0).dtype()) {
      case kString: return CompareElements<std::string>(c, equal_);
      case DType::kQInt8:
      case DType::kQUInt8: return CompareElements<int8_t>(c, equal_);
      case DType::kQInt16:
      case DType::kQUInt16: return CompareElements<int16_t>(c, equal_);
      case DType::kQInt32: return CompareElements<int32_t>(c, equal_);
      default: return ComputeBinary(equal_ ? BinaryOp::kEqual : BinaryOp::kNotEqual, c);
    }
  }

 private:
  const bool equal_;
  const bool strict_;
};

template <class T>
using EqualityKernelOf = EqualityKernel;

Status EqualityShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool strict, c.attr<bool>("incompatible_shape_error"));
  if (strict) return BroadcastBinaryShape(c);
  const bool known = c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined();
  auto shape = BroadcastShapes(c.input(0), c.input(1));
  if (known) c.set_output(0, shape.ok() ? *shape : ramet::Shape());
  return OkStatus();
}

#define RAMET_EQUALITY_OP(name)                                                                 \
  RAMET_OP(name)                                                                                \
      .Foldable()                                                                               \
      .Input("x: T")                                                                            \
      .Input("y: T")                                                                            \
      .Output("z: bool")                                                                        \
      .Attr("T: type")                                                                          \
      .Attr("incompatible_shape_error: bool = true")                                            \
      .Commutative()                                                                            \
      .Shape(EqualityShape)                                                                     \
      .CpuKernelClasses<EqualityKernelOf, RAMET_REALS, RAMET_COMPLEX, bool, std::string, QInt8, \
                        QUInt8, QInt16, QUInt16, QInt32>()                                      \
      .NotDifferentiable()

// Computes |x - y| <= tolerance.
template <class T>
class ApproximateEqualKernel final : public Kernel {
 public:
  explicit ApproximateEqualKernel(const KernelNode& node)
      : tolerance_(node.attrs->GetOr("tolerance", 1e-5f)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<ApproximateEqualKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    const Tensor& y = c.input(1);
    if (x.shape() != y.shape()) {
      return InvalidArgument("x and y must be of the same shape. x shape: ", x.shape(),
                             ". y shape: ", y.shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, kBool, x.shape()));
    const T* a = x.data<T>();
    const T* b = y.data<T>();
    bool* out = z->mutable_data<bool>();
    const int64_t n = x.num_elements();
    for (int64_t i = 0; i < n; ++i) out[i] = std::abs(a[i] - b[i]) <= tolerance_;
    return OkStatus();
  }

 private:
  const T tolerance_;
};

RAMET_EQUALITY_OP("Equal").Doc(
    "Returns whether x == y element-wise with broadcasting; NaN equals nothing. If the shapes do "
    "not broadcast and incompatible_shape_error is false, the result is the scalar false. Error: "
    "the shapes do not broadcast and incompatible_shape_error is true.");

RAMET_EQUALITY_OP("NotEqual")
    .Doc(
        "Returns whether x != y element-wise with broadcasting; NaN differs from everything. If "
        "the shapes do not broadcast and incompatible_shape_error is false, the result is the "
        "scalar true. Error: the shapes do not broadcast and incompatible_shape_error is true.");

RAMET_ORDER_OP("Less", kLess)
    .Doc(
        "Returns whether x < y element-wise with broadcasting. Error: the shapes do not "
        "broadcast.");

RAMET_ORDER_OP("LessEqual", kLessEqual)
    .Doc(
        "Returns whether x <= y element-wise with broadcasting. Error: the shapes do not "
        "broadcast.");

RAMET_ORDER_OP("Greater", kGreater)
    .Doc(
        "Returns whether x > y element-wise with broadcasting. Error: the shapes do not "
        "broadcast.");

RAMET_ORDER_OP("GreaterEqual", kGreaterEqual)
    .Doc(
        "Returns whether x >= y element-wise with broadcasting. Error: the shapes do not "
        "broadcast.");

RAMET_OP("ApproximateEqual")
    .Foldable()
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr("T: numbertype")
    .Attr("tolerance: float = 0.00001")
    .Commutative()
    .Doc("Returns whether |x - y| <= tolerance element-wise. Error: the shapes of x and y differ.")
    .Shape(MergedInputsShape)
    .CpuKernelClasses<ApproximateEqualKernel, float, double>()
    .NotDifferentiable();

RAMET_OP("LogicalAnd")
    .Foldable()
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Doc(
        "Returns whether x and y are both true, element-wise with broadcasting. Error: the shapes "
        "do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .CpuKernel([](KernelContext& c) { return ComputeBinary(BinaryOp::kLogicalAnd, c); })
    .NotDifferentiable();

RAMET_OP("LogicalOr")
    .Foldable()
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Doc(
        "Returns whether x or y or both are true, element-wise with broadcasting. Error: the "
        "shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .CpuKernel([](KernelContext& c) { return ComputeBinary(BinaryOp::kLogicalOr, c); })
    .NotDifferentiable();

RAMET_OP("LogicalNot")
    .Foldable()
    .Input("x: bool")
    .Output("y: bool")
    .Doc("Returns whether x is false, element-wise. y has the shape of x.")
    .Shape(UnchangedShape)
    .CpuKernel([](KernelContext& c) { return ComputeUnary(UnaryOp::kLogicalNot, c); })
    .NotDifferentiable();

}  // namespace
}  // namespace ramet
