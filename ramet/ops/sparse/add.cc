#include <cmath>
#include <complex>
#include <limits>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/merge.h"

// SparseAdd and its gradient.

namespace ramet {
namespace {

Status CheckAddends(const SparseView& a, const SparseView& b) {
  if (a.indices.rank() != 2 || b.indices.rank() != 2) {
    return InvalidArgument("Input indices should be matrices but received shapes: ",
                           a.indices.shape(), " and ", b.indices.shape());
  }
  if (a.values.rank() != 1 || b.values.rank() != 1) {
    return InvalidArgument("Input values should be vectors but received shapes: ", a.values.shape(),
                           " and ", b.values.shape());
  }
  if (a.values.dim(0) != a.count() || b.values.dim(0) != b.count()) {
    return InvalidArgument("Expected ", a.count(), " and ", b.count(),
                           " non-empty input values, got ", a.values.dim(0), " and ",
                           b.values.dim(0));
  }
  if (a.indices.dim(1) != b.indices.dim(1)) {
    return InvalidArgument("Input indices must have the same dimension, got ", a.indices.dim(1),
                           " and ", b.indices.dim(1));
  }
  if (a.shape.rank() != 1 || b.shape.rank() != 1) {
    return InvalidArgument("Input shapes should be a vector but received shapes ", a.shape.shape(),
                           " and ", b.shape.shape());
  }
  if (a.indices.dim(1) != a.shape.dim(0)) {
    return InvalidArgument("Second dimension of a_indices and length of a_shape must match, got ",
                           a.indices.dim(1), " and ", a.shape.dim(0));
  }
  if (a.shape.dim(0) == 0 && b.shape.dim(0) == 0) {
    return InvalidArgument("Tesors must not be empty");  // TensorFlow's spelling
  }
  return CheckSameDims(a, b);
}

// The type of the threshold: the real type that belongs to T.
template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

template <class T>
bool IsBelow(T sum, typename RealOf<T>::Type threshold) {
  if constexpr (std::is_integral_v<T>) {
    const T magnitude = sum < 0 ? WrappingSub(T(0), sum) : sum;
    return !(threshold <= magnitude);
  } else {
    return !(threshold <= std::abs(sum));
  }
}

double FloatingScalar(const Tensor& t) {
  switch (t.dtype()) {
    case kHalf: return static_cast<float>(t.scalar<Half>());
    case kBFloat16: return static_cast<float>(t.scalar<BFloat16>());
    case kFloat: return t.scalar<float>();
    default: return t.scalar<double>();
  }
}

// Returns the threshold, which may have another real dtype than T.
template <class Real>
Real ThresholdAs(const Tensor& t) {
  if (!IsFloating(t.dtype())) return static_cast<Real>(IntegerAt(t, 0));
  const double value = FloatingScalar(t);
  if constexpr (std::is_integral_v<Real>) {
    using Limits = std::numeric_limits<Real>;
    if (!(value < static_cast<double>(Limits::max()))) return Limits::max();  // NaN, too
    if (value <= static_cast<double>(Limits::min())) return Limits::min();
  }
  return static_cast<Real>(value);
}

// Returns the sum at a step of the merge.
template <class T>
T SumAt(const MergeStep& step, const T* a, const T* b) {
  if (step.b < 0) return a[step.a];
  if (step.a < 0) return b[step.b];
  return WrappingAdd(a[step.a], b[step.b]);
}

template <class T>
Status SparseAdd(KernelContext& c) {
  const SparseView a = SparseInputs(c, 0), b = SparseInputs(c, 3);
  RAMET_RETURN_IF_ERROR(CheckAddends(a, b));
  const Tensor& threshold = c.input(6);
  if (threshold.rank() != 0) {
    return InvalidArgument("The magnitude threshold must be a scalar: got shape ",
                           threshold.shape());
  }
  const auto least = ThresholdAs<typename RealOf<T>::Type>(threshold);
  std::vector<MergeStep> steps = MergeIndices(a, b);
  const T *x = a.values.data<T>(), *z = b.values.data<T>();
  // Like TensorFlow, this keeps elements that only one addend has.
  std::erase_if(steps, [&](const MergeStep& s) {
    return s.a >= 0 && s.b >= 0 && IsBelow(SumAt(s, x, z), least);
  });
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, a.values.dtype(), std::ssize(steps), a.dims()));
  WriteIndices(steps, a, b, *out.indices);
  for (size_t i = 0; i < steps.size(); ++i) {
    out.values->template mutable_data<T>()[i] = SumAt(steps[i], x, z);
  }
  return OkStatus();
}

Status SparseAddShape(ShapeContext& c) {
  for (const int first : {0, 3}) RAMET_RETURN_IF_ERROR(SparseInputRank(c, first).status());
  RAMET_ASSIGN_OR_RETURN(const Shape shape, c.WithRank(2, 1));
  SetSparseOutputs(c, 0, shape.dim(0));
  return OkStatus();
}

Status SparseAddGradient(GradientContext& c) {
  const Operation slopes =
      c.AddOperation("SparseAddGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)});
  return c.Return({Gradient(), slopes.output(0), Gradient(), Gradient(), slopes.output(1),
                   Gradient(), Gradient()});
}

Status CheckAddGrad(const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& sum) {
  if (a.rank() != 2 || b.rank() != 2 || sum.rank() != 2) {
    return InvalidArgument("Input indices should be matrices but received shapes: ", a.shape(),
                           " and ", b.shape(), " and ", sum.shape());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("Input backprop_val_grad should be a vector but received shape: ",
                           grad.shape());
  }
  if (a.dim(1) != b.dim(1) || b.dim(1) != sum.dim(1)) {
    return InvalidArgument("The densified operands should have the same ndims; for A, B, sum got: ",
                           a.dim(1), b.dim(1), sum.dim(1));
  }
  if (grad.dim(0) == sum.dim(0)) return OkStatus();
  return InvalidArgument(
      "# elements of backprop_val_grad and # rows of sum_indices should match "
      "(#nnz of sum): got ",
      grad.dim(0), " and ", sum.dim(0));
}

// One operand while its indices are matched with those of the sum.
template <class T>
struct GradOperand {
  const Tensor& indices;
  T* grad;
  int64_t at = 0;

  bool done() const { return at == indices.dim(0); }
  // Compares the current index with one of the sum and takes the gradient if they are equal.
  // Returns false if the current index was smaller, so that the sum's index stays.
  bool Match(const int64_t* sum, T value) {
    const int rank = static_cast<int>(indices.dim(1));
    const int order = CompareIndices(indices.data<int64_t>() + at * rank, sum, rank);
    if (order == 0) grad[at] = value;
    if (order <= 0) ++at;
    return order >= 0;
  }
};

template <class T>
StatusOr<GradOperand<T>> StartGrad(KernelContext& c, int output, const Tensor& indices) {
  RAMET_ASSIGN_OR_RETURN(Tensor * grad,
                         c.Allocate(output, DTypeOf<T>::value, Shape{indices.dim(0)}));
  std::fill_n(grad->mutable_data<T>(), grad->num_elements(), T());
  return GradOperand<T>{indices, grad->mutable_data<T>()};
}

template <class T>
Status SparseAddGrad(KernelContext& c) {
  const Tensor &grad = c.input(0), &sum = c.input(3);
  RAMET_RETURN_IF_ERROR(CheckAddGrad(grad, c.input(1), c.input(2), sum));
  RAMET_ASSIGN_OR_RETURN(GradOperand<T> a, StartGrad<T>(c, 0, c.input(1)));
  RAMET_ASSIGN_OR_RETURN(GradOperand<T> b, StartGrad<T>(c, 1, c.input(2)));
  int64_t k = 0;
  while (k < sum.dim(0) && !(a.done() && b.done())) {
    const int64_t* row = sum.data<int64_t>() + k * sum.dim(1);
    const T value = grad.data<T>()[k];
    const bool a_reached = a.done() || a.Match(row, value);
    const bool b_reached = b.done() || b.Match(row, value);
    if (a_reached && b_reached) ++k;
  }
  return OkStatus();
}

Status SparseAddGradShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape a, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRank(2, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 2).status());
  c.set_output(0, Shape{a.dim(0)});
  c.set_output(1, Shape{b.dim(0)});
  return OkStatus();
}

RAMET_OP("SparseAdd")
    .Input("a_indices: int64")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b_indices: int64")
    .Input("b_values: T")
    .Input("b_shape: int64")
    .Input("thresh: Treal")
    .Output("sum_indices: int64")
    .Output("sum_values: T")
    .Output("sum_shape: int64")
    .Attr("T: numbertype")
    .Attr("Treal: realnumbertype")
    .Doc(
        "Returns the sum of two sparse tensors of the same shape whose elements are sorted. "
        "Sums of two elements with a magnitude below `thresh`, a scalar, are dropped. Error: the "
        "inputs are not the parts of sparse tensors; the shapes differ; `thresh` is not a scalar.")
    .Shape(SparseAddShape)
    .Gradient(SparseAddGradient)
    .CpuKernels<float, double, int8_t, int16_t, int32_t, int64_t, RAMET_COMPLEX>(
        []<class T>(KernelContext& c) { return SparseAdd<T>(c); });

RAMET_OP("SparseAddGrad")
    .Input("backprop_val_grad: T")
    .Input("a_indices: int64")
    .Input("b_indices: int64")
    .Input("sum_indices: int64")
    .Output("a_val_grad: T")
    .Output("b_val_grad: T")
    .Attr("T: numbertype")
    .Doc(
        "Returns the gradients of SparseAdd for the values of both addends: backprop_val_grad at "
        "the elements that are in the sum, and 0 at the rest. Error: the indices are not matrices "
        "with the same number of columns; backprop_val_grad is not a vector with one element per "
        "element of the sum.")
    .Shape(SparseAddGradShape)
    .NotDifferentiable()
    .CpuKernels<float, double, int8_t, int16_t, int32_t, int64_t, RAMET_COMPLEX>(
        []<class T>(KernelContext& c) { return SparseAddGrad<T>(c); });

}  // namespace
}  // namespace ramet
