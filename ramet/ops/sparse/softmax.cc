#include <algorithm>
#include <cmath>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

Status CheckSoftmax(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input sp_indices should be a matrix but received shape: ",
                           s.indices.shape());
  }
  if (s.values.rank() != 1 || s.shape.rank() != 1) {
    return InvalidArgument("Inputs sp_values and sp_shape should be vectors but received shapes: ",
                           s.values.shape(), " and ", s.shape.shape());
  }
  if (s.shape.dim(0) < 2) {
    return InvalidArgument("Input should have rank >= 2, but received shape: ",
                           Summarize(s.dims(), 3));
  }
  RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
  return CheckParts(s);
}

// Writes the softmax of the values x[0, n) to y.
template <class T>
void SoftmaxOfRow(const T* x, int64_t n, T* y) {
  using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  Wide most = static_cast<Wide>(x[0]), sum = 0;
  for (int64_t i = 1; i < n; ++i) most = std::max(most, static_cast<Wide>(x[i]));
  for (int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<Wide>(x[i]) - most);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(std::exp(static_cast<Wide>(x[i]) - most) / sum);
  }
}

// Writes the softmax of the values x to y. A row is a run of elements whose indices differ only in
// the last dimension. row(i) is the index of element i.
template <class T>
void SoftmaxOfRows(const SparseView& s, const T* x, T* y, auto&& row) {
  for (int64_t first = 0, last = 0; first < s.count(); first = last) {
    while (last < s.count() && CompareIndices(row(first), row(last), s.rank() - 1) == 0) ++last;
    SoftmaxOfRow(x + first, last - first, y + first);
  }
}

bool IsSorted(const SparseView& s) {
  for (int64_t i = 1; i < s.count(); ++i) {
    if (CompareIndices(s.row(i - 1), s.row(i), s.rank()) > 0) return false;
  }
  return true;
}

template <class T>
Status SparseSoftmax(KernelContext& c) {
  const SparseView s = SparseInputs(c);
  RAMET_RETURN_IF_ERROR(CheckSoftmax(s));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, s.values.dtype(), s.values.shape()));
  const T* x = s.values.data<T>();
  if (IsSorted(s)) {
    SoftmaxOfRows(s, x, y->mutable_data<T>(), [&](int64_t i) { return s.row(i); });
    return OkStatus();
  }
  // TensorFlow returns the values of unsorted elements in the sorted order.
  const auto order = SortedOrder(s.indices.data<int64_t>(), s.count(), s.rank());
  std::vector<T> sorted(order.size());
  std::ranges::transform(order, sorted.begin(), [&](int64_t i) { return x[i]; });
  SoftmaxOfRows(s, sorted.data(), y->mutable_data<T>(), [&](int64_t i) { return s.row(order[i]); });
  return OkStatus();
}

Status SparseSoftmaxShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RAMET_ASSIGN_OR_RETURN(Shape values, c.WithRank(1, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  c.set_output(0, std::move(values));
  return OkStatus();
}

// With the softmax y, the gradient is (g - sum(g y)) y, in each row.
Status SparseSoftmaxGradient(GradientContext& c) {
  const Output grad = c.grad(), indices = c.input(0), shape = c.input(2), y = c.output();
  const Output product = y * grad;
  const Output axes = Int32Vector(c, std::vector<int64_t>{-1}, "SparseReduceSum/reduction_axes");
  const Output sums =
      -c.Add("SparseReduceSum", {indices, product, shape, axes}, {{"keep_dims", true}});
  return c.Return(
      {Gradient(), c.Add("SparseDenseCwiseAdd", {indices, grad, shape, sums}) * y, Gradient()});
}

RAMET_OP("SparseSoftmax")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Doc(
        "Returns the softmax along the last dimension of a sparse tensor of rank 2 or more, in the "
        "order of the sorted elements. Missing elements do not take part. Error: the inputs are "
        "not the parts of such a sparse tensor.")
    .Shape(SparseSoftmaxShape)
    .Gradient(SparseSoftmaxGradient)
    .CpuKernels<Half, float, double>([]<class T>(KernelContext& c) { return SparseSoftmax<T>(c); });

}  // namespace
}  // namespace ramet
