#include "ramet/ops/math/reduce.h"

#include <cmath>
#include <limits>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/types.h"

namespace ramet {

StatusOr<ReducedDims> ReducedDimsOf(const Tensor& axes, int rank) {
  ReducedDims dims;
  dims.rank = rank;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = IntegerAt(axes, i);
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (", axis, " for input with ", rank,
                             " dimension(s)");
    }
    const int64_t d = axis < 0 ? axis + rank : axis;
    if (dims.reduced[d]) {
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: ", d);
    }
    dims.reduced[d] = dims.any = true;
  }
  return dims;
}

Shape ReducedShape(const Shape& shape, const ReducedDims& dims, bool keep_dims) {
  Shape result;
  for (int d = 0; d < dims.rank; ++d) {
    if (!dims.reduced[d]) {
      result.Append(shape.dim(d));
    } else if (keep_dims) {
      result.Append(1);
    }
  }
  return result;
}

namespace {

using linalg::ReduceOp;

constexpr char kAttrNumbers[] = "T: numbertype";
constexpr char kAttrOrdered[] = "T: {realnumbertype, qint8, quint8, qint32, qint16, quint16}";

template <ReduceOp kOp>
class ReduceKernel final : public Kernel {
 public:
  explicit ReduceKernel(const KernelNode& node)
      : keep_dims_(node.attrs->GetOr("keep_dims", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<ReduceKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(ReducedDims dims, ReducedDimsOf(c.input(1), x.rank()));
    if (!dims.any) {
      c.SetOutput(0, x);
      return OkStatus();
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y,
                           c.Allocate(0, x.dtype(), ReducedShape(x.shape(), dims, keep_dims_)));
    const auto plan = linalg::ReducePlan::Make(x.shape().dims(), dims.flags());
    return Reduce(kOp, plan, x, *y);
  }

 private:
  const bool keep_dims_;
};

// Computes x * conj(x), for types for which linalg has no sum of squares.
void Squares(linalg::Type type, const Tensor& x, Tensor& squares) {
  const int64_t n = x.num_elements();
  if (!IsComplex(x.dtype())) {
    linalg::Unary(linalg::UnaryOp::kSquare, type, x.raw_data(), squares.raw_data(), n);
    return;
  }
  linalg::Unary(linalg::UnaryOp::kConj, type, x.raw_data(), squares.raw_data(), n);
  linalg::Binary(linalg::BinaryOp::kMul, type, x.raw_data(), squares.raw_data(), squares.raw_data(),
                 n);
}

// Returns the square root rounded toward zero. A sum that wrapped to a negative number has no root.
template <class T>
T IntegerRoot(T x) {
  if (x >= 0) return static_cast<T>(std::sqrt(static_cast<double>(x)));
  return sizeof(T) < 4 ? T(0) : std::numeric_limits<T>::min();
}

template <class T>
class EuclideanNormKernel final : public Kernel {
 public:
  explicit EuclideanNormKernel(const KernelNode& node)
      : keep_dims_(node.attrs->GetOr("keep_dims", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<EuclideanNormKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(ReducedDims dims, ReducedDimsOf(c.input(1), x.rank()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y,
                           c.Allocate(0, x.dtype(), ReducedShape(x.shape(), dims, keep_dims_)));
    const auto plan = linalg::ReducePlan::Make(x.shape().dims(), dims.flags());
    if (const DeviceMath* math = DeviceMath::Of(*y)) {
      RAMET_RETURN_IF_ERROR(math->Reduce(ReduceOp::kSumSquares, plan, x, *y, 1));
      return math->TakeRoots(*y);
    }
    const linalg::Type type = LinalgType(x.dtype());
    if (linalg::HasReduce(ReduceOp::kSumSquares, type)) {
      linalg::Reduce(ReduceOp::kSumSquares, type, plan, x.raw_data(), y->raw_data());
    } else {
      RAMET_ASSIGN_OR_RETURN(Tensor squares, c.AllocateTemp(x.dtype(), x.shape()));
      Squares(type, x, squares);
      linalg::Reduce(ReduceOp::kSum, type, plan, squares.raw_data(), y->raw_data());
    }
    TakeRoots(type, *y);
    return OkStatus();
  }

 private:
  static void TakeRoots(linalg::Type type, Tensor& y) {
    if constexpr (std::is_integral_v<T>) {
      for (T& v : y.mutable_flat<T>()) v = IntegerRoot(v);
    } else {
      linalg::Unary(linalg::UnaryOp::kSqrt, type, y.raw_data(), y.raw_data(), y.num_elements());
    }
  }

  const bool keep_dims_;
};

// The kernel template for CpuKernelClasses.
template <ReduceOp kOp>
struct Reduction {
  template <class T>
  using Of = ReduceKernel<kOp>;
};

Status ReduceShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool keep_dims, c.attr<bool>("keep_dims"));
  const Shape& x = c.input(0);
  const Shape& axes_shape = c.input(1);
  if (axes_shape.rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ", axes_shape.rank(),
                           " (the reduction indices have shape ", axes_shape, ")");
  }
  const Tensor* axes = c.constant(1);
  if (axes != nullptr && !x.unknown_rank()) {
    RAMET_ASSIGN_OR_RETURN(ReducedDims dims, ReducedDimsOf(*axes, x.rank()));
    c.set_output(0, ReducedShape(x, dims, keep_dims));
  } else if (keep_dims && !x.unknown_rank()) {
    c.set_output(0, Shape::OfRank(x.rank()));
  } else if (!x.unknown_rank() && axes_shape.IsFullyDefined()) {
    const int64_t left = x.rank() - axes_shape.num_elements();
    if (left >= 0) c.set_output(0, Shape::OfRank(static_cast<int>(left)));
  }
  return OkStatus();
}

#define RAMET_REDUCE_OP(name, kind, attr, ...) \
  RAMET_OP(name)                               \
      .Foldable()                              \
      .Input("input: T")                       \
      .Input("reduction_indices: Tidx")        \
      .Output("output: T")                     \
      .Attr("keep_dims: bool = false")         \
      .Attr(attr)                              \
      .Attr("Tidx: {int32, int64} = int32")    \
      .HostMemory({"reduction_indices"})       \
      .Shape(ReduceShape)                      \
      .CpuKernelClasses<Reduction<ReduceOp::kind>::template Of, __VA_ARGS__>()

#define RAMET_REDUCE_BOOL_OP(name, kind)              \
  RAMET_OP(name)                                      \
      .Foldable()                                     \
      .Input("input: bool")                           \
      .Input("reduction_indices: Tidx")               \
      .Output("output: bool")                         \
      .Attr("keep_dims: bool = false")                \
      .Attr("Tidx: {int32, int64} = int32")           \
      .HostMemory({"reduction_indices"})              \
      .Shape(ReduceShape)                             \
      .CpuKernelClass<ReduceKernel<ReduceOp::kind>>() \
      .NotDifferentiable()

RAMET_REDUCE_OP("Sum", kSum, kAttrNumbers, RAMET_NUMBERS)
    .Doc(
        "Returns the sum of the input over the dimensions reduction_indices (negative indices "
        "count from the end); an empty sum is 0. The reduced dimensions are removed, or kept with "
        "size 1 if keep_dims is true. Error: an index is out of range or occurs twice.")
    .Gradient(SumGradient);

RAMET_REDUCE_OP("Prod", kProd, kAttrNumbers, RAMET_NUMBERS)
    .Doc(
        "Returns the product of the input over the dimensions reduction_indices (negative indices "
        "count from the end); an empty product is 1. The reduced dimensions are removed, or kept "
        "with size 1 if keep_dims is true. Error: an index is out of range or occurs twice.")
    .Gradient(ProdGradient);

RAMET_REDUCE_OP("Mean", kMean, kAttrNumbers, RAMET_NUMBERS)
    .Doc(
        "Returns the mean of the input over the dimensions reduction_indices (negative indices "
        "count from the end); the mean of no elements is NaN, and integer means are truncated "
        "toward zero. The reduced dimensions are removed, or kept with size 1 if keep_dims is "
        "true. Error: an index is out of range or occurs twice.")
    .Gradient(MeanGradient);

RAMET_REDUCE_OP("Max", kMax, kAttrOrdered, RAMET_REALS)
    .Doc(
        "Returns the largest element of the input over the dimensions reduction_indices (negative "
        "indices count from the end). The result is NaN if an element is NaN, and the lowest value "
        "of T if there are no elements. The reduced dimensions are removed, or kept with size 1 if "
        "keep_dims is true. Equal largest elements share the gradient. Error: an index is out of "
        "range or occurs twice.")
    .Gradient(MinOrMaxGradient);

RAMET_REDUCE_OP("Min", kMin, kAttrOrdered, RAMET_REALS)
    .Doc(
        "Returns the smallest element of the input over the dimensions reduction_indices (negative "
        "indices count from the end). The result is NaN if an element is NaN, and the highest "
        "value of T if there are no elements. The reduced dimensions are removed, or kept with "
        "size 1 if keep_dims is true. Equal smallest elements share the gradient. Error: an index "
        "is out of range or occurs twice.")
    .Gradient(MinOrMaxGradient);

RAMET_OP("EuclideanNorm")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("keep_dims: bool = false")
    .Attr(kAttrNumbers)
    .Attr("Tidx: {int32, int64} = int32")
    .HostMemory({"reduction_indices"})
    .Doc(
        "Returns the square root of the sum of the squared magnitudes of the input over the "
        "dimensions reduction_indices (negative indices count from the end), and 0 if there are no "
        "elements. The reduced dimensions are removed, or kept with size 1 if keep_dims is true. "
        "Error: an index is out of range or occurs twice.")
    .Shape(ReduceShape)
    .Gradient(EuclideanNormGradient)
    .CpuKernelClasses<EuclideanNormKernel, RAMET_NUMBERS>();

RAMET_REDUCE_BOOL_OP("All", kAll)
    .Doc(
        "Returns whether all elements are true over the dimensions reduction_indices (negative "
        "indices count from the end); true if there are no elements. The reduced dimensions are "
        "removed, or kept with size 1 if keep_dims is true. Error: an index is out of range or "
        "occurs twice.");

RAMET_REDUCE_BOOL_OP("Any", kAny)
    .Doc(
        "Returns whether at least one element is true over the dimensions reduction_indices "
        "(negative indices count from the end); false if there are no elements. The reduced "
        "dimensions are removed, or kept with size 1 if keep_dims is true. Error: an index is out "
        "of range or occurs twice.");

}  // namespace
}  // namespace ramet
