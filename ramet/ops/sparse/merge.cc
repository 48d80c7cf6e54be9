#include "ramet/ops/sparse/merge.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {

Status CheckSameDims(const SparseView& a, const SparseView& b) {
  const std::span<const int64_t> x = a.dims(), y = b.dims();
  if (x.size() != y.size()) {
    return InvalidArgument("Operands do not have the same ranks; got shapes: ", Summarize(x),
                           " and ", Summarize(y));
  }
  for (size_t d = 0; d < x.size(); ++d) {
    if (x[d] == y[d]) continue;
    return InvalidArgument("Operands' shapes do not match: got ", x[d], " and ", y[d],
                           " for dimension ", d);
  }
  return OkStatus();
}

std::vector<MergeStep> MergeIndices(const SparseView& a, const SparseView& b) {
  std::vector<MergeStep> steps;
  steps.reserve(std::max(a.count(), b.count()));
  int64_t i = 0, k = 0;
  while (i < a.count() && k < b.count()) {
    const int order = CompareIndices(a.row(i), b.row(k), a.rank());
    steps.push_back({order <= 0 ? i : -1, order >= 0 ? k : -1});
    if (order <= 0) ++i;
    if (order >= 0) ++k;
  }
  while (i < a.count()) steps.push_back({i++, -1});
  while (k < b.count()) steps.push_back({-1, k++});
  return steps;
}

void WriteIndices(const std::vector<MergeStep>& steps, const SparseView& a, const SparseView& b,
                  Tensor& out) {
  int64_t* row = out.mutable_data<int64_t>();
  for (const MergeStep& step : steps) {
    row = std::copy_n(step.a >= 0 ? a.row(step.a) : b.row(step.b), a.rank(), row);
  }
}

namespace {

// Returns `a` if it is NaN or precedes(a, b), else `b`, which may be NaN.
template <class T, class Precedes>
T First(T a, T b, Precedes precedes) {
  using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const Wide x = static_cast<Wide>(a), y = static_cast<Wide>(b);
  return precedes(x, y) || x != x ? a : b;
}
template <class T>
T Larger(T a, T b) {
  return First(a, b, std::greater_equal<>());
}
template <class T>
T Smaller(T a, T b) {
  return First(a, b, std::less_equal<>());
}

// An element that is missing on one side counts as 0.
template <class T>
Status SparseSparse(KernelContext& c, T (*combine)(T, T)) {
  const SparseView a = SparseInputs(c, 0), b = SparseInputs(c, 3);
  RAMET_RETURN_IF_ERROR(ValidateUnordered(a));
  RAMET_RETURN_IF_ERROR(ValidateUnordered(b));
  if (a.rank() == 0) return InvalidArgument("Tensors must not be empty");
  RAMET_RETURN_IF_ERROR(CheckSameDims(a, b));
  const std::vector<MergeStep> steps = MergeIndices(a, b);
  const int64_t count = std::ssize(steps);
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(0, kInt64, Shape{count, a.rank()}));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, a.values.dtype(), Shape{count}));
  WriteIndices(steps, a, b, *indices);
  T* out = values->mutable_data<T>();
  for (const MergeStep& step : steps) {
    *out++ = combine(step.a >= 0 ? a.values.data<T>()[step.a] : T(),
                     step.b >= 0 ? b.values.data<T>()[step.b] : T());
  }
  return OkStatus();
}

Status SparseSparseShape(ShapeContext& c) {
  for (const int first : {0, 3}) RAMET_RETURN_IF_ERROR(SparseInputRank(c, first).status());
  c.set_output(0, Shape{Shape::kUnknownDim, Shape::kUnknownDim});
  c.set_output(1, Shape{Shape::kUnknownDim});
  return OkStatus();
}

Status NoSparseSparseGradient(GradientContext& c) {
  return Unimplemented("Gradient for ", c.op().type(), " is not implemented.");
}

#define RAMET_SPARSE_SPARSE(name, types, what)                                                    \
  RAMET_OP(name)                                                                                  \
      .Input("a_indices: int64")                                                                  \
      .Input("a_values: T")                                                                       \
      .Input("a_shape: int64")                                                                    \
      .Input("b_indices: int64")                                                                  \
      .Input("b_values: T")                                                                       \
      .Input("b_shape: int64")                                                                    \
      .Output("output_indices: int64")                                                            \
      .Output("output_values: T")                                                                 \
      .Attr(types)                                                                                \
      .Doc("Returns the element-wise " what                                                       \
           " of two sparse tensors of the same shape whose elements are sorted. An element that " \
           "one of them lacks is 0 there. Error: the inputs are not the parts of sparse "         \
           "tensors; an index is out of bounds; the shapes differ.")                              \
      .Shape(SparseSparseShape)                                                                   \
      .Gradient(NoSparseSparseGradient)

RAMET_SPARSE_SPARSE("SparseSparseMaximum", "T: realnumbertype", "maximum")
    .CpuKernels<RAMET_REALS>([]<class T>(KernelContext& c) {
      return SparseSparse<T>(c, Larger<T>);
    });
RAMET_SPARSE_SPARSE("SparseSparseMinimum", "T: numbertype", "minimum")
    .CpuKernels<RAMET_REALS>([]<class T>(KernelContext& c) {
      return SparseSparse<T>(c, Smaller<T>);
    });

}  // namespace
}  // namespace ramet
