#include <algorithm>
#include <complex>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/sparse.h"

// Arithmetic on a sparse and a dense tensor.

namespace ramet {
namespace {

Status CheckDenseAdd(const SparseView& a, const Tensor& b) {
  if (a.indices.rank() != 2) {
    return InvalidArgument("Input a_indices should be a matrix but received shape: ",
                           a.indices.shape());
  }
  if (a.values.rank() != 1 || a.shape.rank() != 1) {
    return InvalidArgument("Inputs a_values and a_shape should be vectors but received shapes: ",
                           a.values.shape(), " and ", a.shape.shape());
  }
  if (a.values.dim(0) != a.indices.dim(0)) {
    return InvalidArgument("Dimensions ", a.indices.dim(0), " and ", a.values.dim(0),
                           " are not compatible");
  }
  if (a.shape.dim(0) != a.indices.dim(1)) {
    return InvalidArgument("Dimensions ", a.indices.dim(1), " and ", a.shape.dim(0),
                           " are not compatible");
  }
  if (a.shape.dim(0) != b.rank()) {
    return InvalidArgument("Two operands have different ranks; received: ", a.shape.dim(0), " and ",
                           b.rank());
  }
  for (int d = 0; d < b.rank(); ++d) {
    if (IntegerAt(a.shape, d) == b.dim(d)) continue;
    return InvalidArgument("Dimension ", d,
                           " does not equal (no broadcasting is supported): sparse side ",
                           IntegerAt(a.shape, d), " vs dense side ", b.dim(d));
  }
  return OkStatus();
}

// Returns the position in `shape` of the element at row i of `indices`.
StatusOr<int64_t> FlatPosition(const Tensor& indices, int64_t i, const Shape& shape) {
  int64_t at = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t index = IntegerAt(indices, i * shape.rank() + d);
    if (index < 0 || index >= shape.dim(d)) {
      return InvalidArgument("Sparse tensor has an invalid index on dimension ", d, ": a_indices(",
                             i, ",", d, ") = ", index,
                             ", dense tensor shape: ", Summarize(shape.dims()));
    }
    at = at * shape.dim(d) + index;
  }
  return at;
}

template <class T>
Status SparseTensorDenseAdd(KernelContext& c) {
  const SparseView a = SparseInputs(c);
  const Tensor& b = c.input(3);
  RAMET_RETURN_IF_ERROR(CheckDenseAdd(a, b));
  for (int64_t i = 0; i < a.count(); ++i) {
    RAMET_RETURN_IF_ERROR(FlatPosition(a.indices, i, b.shape()).status());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {3}, b.dtype(), b.shape()));
  if (y->raw_data() != b.raw_data()) CopyElements(b, 0, *y, 0, b.num_elements());
  for (int64_t i = 0; i < a.count(); ++i) {
    RAMET_ASSIGN_OR_RETURN(const int64_t at, FlatPosition(a.indices, i, b.shape()));
    T& out = y->mutable_data<T>()[at];
    out = WrappingAdd(out, a.values.data<T>()[i]);
  }
  return OkStatus();
}

Status SparseTensorDenseAddShape(ShapeContext& c) {
  c.set_output(0, c.input(3));
  return OkStatus();
}

Status SparseTensorDenseAddGradient(GradientContext& c) {
  const Output grad = c.grad();
  return c.Return({Gradient(), c.Add("GatherNd", {grad, c.input(0)}), Gradient(), grad});
}

Status CheckCwise(const SparseView& s) {
  if (s.indices.rank() != 2) {
    return InvalidArgument("Input sp_indices should be a matrix but received shape: ",
                           s.indices.shape());
  }
  if (s.values.rank() != 1 || s.shape.rank() != 1) {
    return InvalidArgument("Inputs sp_values and sp_shape should be vectors but received shapes: ",
                           s.values.shape(), " and ", s.shape.shape());
  }
  if (s.values.dim(0) != s.indices.dim(0)) {
    return InvalidArgument("The first dimension of values and indices should match. (",
                           s.values.dim(0), " vs. ", s.indices.dim(0), ")");
  }
  if (s.shape.dim(0) != s.indices.dim(1)) {
    return InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                           s.shape.dim(0), " dimensions, indices shape: ", s.indices.shape());
  }
  if (s.shape.dim(0) > 0) return OkStatus();
  return InvalidArgument("The shape argument requires at least one element.");
}

// Returns the strides of the dense tensor in the shape of the sparse one; 0 where it is broadcast.
StatusOr<Dims> BroadcastStrides(const Shape& sparse, const Shape& dense) {
  const int added = sparse.rank() - dense.rank();
  const auto fits = [&](int d) {
    return dense.dim(d) == 1 || dense.dim(d) == sparse.dim(d + added);
  };
  bool ok = added >= 0;
  for (int d = 0; ok && d < dense.rank(); ++d) ok = fits(d);
  if (!ok) {
    return InvalidArgument(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
        sparse, " vs. ", dense);
  }
  const Dims own = RowMajorStrides(dense.dims());
  Dims strides(sparse.rank(), 0);
  for (int d = 0; d < dense.rank(); ++d) strides[d + added] = dense.dim(d) == 1 ? 0 : own[d];
  return strides;
}

// Returns the position in the dense tensor for each sparse element.
StatusOr<std::vector<int64_t>> DensePositions(const SparseView& s, const Shape& shape,
                                              const Dims& strides) {
  std::vector<int64_t> positions(s.count());
  for (int64_t i = 0; i < s.count(); ++i) {
    for (int d = 0; d < s.rank(); ++d) {
      const int64_t index = s.row(i)[d];
      if (index < 0 || index >= shape.dim(d)) {
        return InvalidArgument(
            "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
      }
      positions[i] += index * strides[d];
    }
  }
  return positions;
}

enum class CwiseOp { kAdd, kMul, kDiv };

template <class T>
T CombineCwise(CwiseOp op, T a, T b) {
  if (op == CwiseOp::kAdd) return WrappingAdd(a, b);
  if (op == CwiseOp::kMul) return WrappingMul(a, b);
  if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && b == T(-1)) return WrappingSub(T(0), a);
    return static_cast<T>(a / b);
  } else {
    using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    return static_cast<T>(static_cast<Wide>(a) / static_cast<Wide>(b));
  }
}

template <class T>
bool IsZero(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x == T(0);
  } else {
    return static_cast<float>(x) == 0;
  }
}

template <CwiseOp kOp, class T>
Status SparseDenseCwise(KernelContext& c) {
  const SparseView s = SparseInputs(c);
  const Tensor& dense = c.input(3);
  RAMET_RETURN_IF_ERROR(CheckCwise(s));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, DenseShapeOf(s.dims()));
  RAMET_ASSIGN_OR_RETURN(const Dims strides, BroadcastStrides(shape, dense.shape()));
  RAMET_ASSIGN_OR_RETURN(const auto positions, DensePositions(s, shape, strides));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, s.values.dtype(), s.values.shape()));
  const T *x = s.values.data<T>(), *z = dense.data<T>();
  T* out = y->mutable_data<T>();
  for (size_t i = 0; i < positions.size(); ++i) {
    const T other = z[positions[i]];
    if (kOp == CwiseOp::kDiv && IsZero(other)) {
      return InvalidArgument(
          "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ");
    }
    out[i] = CombineCwise(kOp, x[i], other);
  }
  return OkStatus();
}

Status SparseDenseCwiseShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(0, 2));
  c.set_output(0, Shape{indices.dim(0)});
  return OkStatus();
}

Status NoCwiseAddGradient(GradientContext& c) {
  return Unimplemented("Gradient for ", c.op().type(), " is not implemented.");
}

// Returns x // y of integers, like Python's operator.
Output FloorDivide(GradientContext& c, const Output& x, const Output& y) {
  return c.Add("FloorDiv", {x, y}, {}, "floordiv");
}

// Returns the indices of the sparse elements in the dense tensor, and the shape of that tensor.
struct DenseIndices {
  Output indices, shape;
};

DenseIndices IndicesInDense(GradientContext& c, const Output& indices, const Output& shape,
                            const Output& dense) {
  const Output dense_shape = Cast(c, ShapeOf(c, dense), kInt64);
  const Output missing = SizeOf(c, shape) - SizeOf(c, dense_shape);
  const Output added = c.Add("ExpandDims", {missing, 0});
  const Output one = Constant(c.graph(), Tensor(int64_t{1}), "ones/Const");
  const Output ones = c.Add("Fill", {added, one}, {}, "ones");
  const Output full = c.Add("ConcatV2", {ones, dense_shape, 0}, {{"N", 2}}, "concat");
  const Output scaled = FloorDivide(c, indices, FloorDivide(c, shape, full));
  const Output zero = Constant(c.graph(), Tensor::Vector<int32_t>({0}), "concat_1/values_0");
  const Output begin = c.Add("ConcatV2", {zero, added, 0}, {{"N", 2}}, "concat");
  const Output all = Int32Vector(c, std::vector<int64_t>{-1, -1}, "Slice/size");
  return {c.Add("Slice", {scaled, begin, all}), dense_shape};
}

Status CwiseGradient(GradientContext& c) {
  const Output grad = c.grad(), values = c.input(1), dense = c.input(3);
  const DenseIndices at = IndicesInDense(c, c.input(0), c.input(2), dense);
  const Output paired = c.Add("GatherNd", {dense, at.indices});
  const bool is_product = c.op().type() == "SparseDenseCwiseMul";
  const Output x_grad = is_product ? grad * paired : grad / paired;
  const Output y_values =
      is_product ? grad * values : grad * ((-values) / c.Add("Square", {paired}));
  const Output zeros = ZerosLike(c, dense);
  const Output y_grad = c.Add("SparseTensorDenseAdd", {at.indices, y_values, at.shape, zeros});
  return c.Return({Gradient(), x_grad, Gradient(), y_grad});
}

RAMET_OP("SparseTensorDenseAdd")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: Tindices")
    .Input("b: T")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Doc(
        "Returns the sum of a sparse and a dense tensor of the same shape. Elements with the same "
        "index add up. Error: the inputs are not the parts of a sparse tensor; the shapes differ; "
        "an index is out of bounds.")
    .Shape(SparseTensorDenseAddShape)
    .Gradient(SparseTensorDenseAddGradient)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) {
      return SparseTensorDenseAdd<T>(c);
    });

#define RAMET_SPARSE_DENSE_CWISE(name, op, what)                                                 \
  RAMET_OP(name)                                                                                 \
      .Input("sp_indices: int64")                                                                \
      .Input("sp_values: T")                                                                     \
      .Input("sp_shape: int64")                                                                  \
      .Input("dense: T")                                                                         \
      .Output("output: T")                                                                       \
      .Attr("T: numbertype")                                                                     \
      .Doc("Returns the " what                                                                   \
           " of each element of a sparse tensor and the element of `dense` with the same "       \
           "index; `dense` is broadcast to the shape of the sparse tensor. Error: the inputs "   \
           "are not the parts of a sparse tensor; `dense` cannot be broadcast; an index is out " \
           "of bounds.")                                                                         \
      .Shape(SparseDenseCwiseShape)                                                              \
      .CpuKernels<RAMET_REALS>(                                                                  \
          []<class T>(KernelContext& c) { return SparseDenseCwise<CwiseOp::op, T>(c); })

RAMET_SPARSE_DENSE_CWISE("SparseDenseCwiseAdd", kAdd, "sum").Gradient(NoCwiseAddGradient);
RAMET_SPARSE_DENSE_CWISE("SparseDenseCwiseMul", kMul, "product").Gradient(CwiseGradient);
RAMET_SPARSE_DENSE_CWISE("SparseDenseCwiseDiv", kDiv, "quotient").Gradient(CwiseGradient);

}  // namespace
}  // namespace ramet
