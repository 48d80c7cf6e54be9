#include <algorithm>
#include <complex>

#include "ramet/linalg/gemm.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/sparse.h"

// Products of a sparse or mostly zero matrix and a dense one.

namespace ramet {
namespace {

Status CheckFactors(const SparseView& a, const Tensor& b) {
  if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
  if (a.shape.rank() != 1) return InvalidArgument("Tensor 'a_shape' is not a vector");
  if (a.shape.dim(0) != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  if (a.values.rank() != 1) return InvalidArgument("Tensor 'a_values' is not a vector");
  if (a.indices.rank() != 2) return InvalidArgument("Tensor 'a_indices' is not a matrix");
  if (a.indices.dim(0) != a.values.dim(0)) {
    return InvalidArgument(
        "Number of rows of a_indices does not match number of entries in a_values");
  }
  if (a.indices.dim(1) == 2) return OkStatus();
  return InvalidArgument(
      "Number of columns of a_indices does not match number of entries in "
      "a_shape");
}

template <class T>
T Conjugated(T x, bool conjugate) {
  if constexpr (requires { x.real(); }) {
    return conjugate ? std::conj(x) : x;
  } else {
    return x;
  }
}

template <class T>
class SparseDenseMatMulKernel final : public Kernel {
 public:
  explicit SparseDenseMatMulKernel(const KernelNode& node)
      : adjoint_a_(node.attrs->GetOr("adjoint_a", false)),
        adjoint_b_(node.attrs->GetOr("adjoint_b", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<SparseDenseMatMulKernel>(node));
  }

  Status Compute(KernelContext& c) override {
    const SparseView a = SparseInputs(c);
    const Tensor& b = c.input(3);
    RAMET_RETURN_IF_ERROR(CheckFactors(a, b));
    const int64_t rows = a.dims()[adjoint_a_ ? 1 : 0], inner = a.dims()[adjoint_a_ ? 0 : 1];
    if (inner != b.dim(adjoint_b_ ? 1 : 0)) {
      return InvalidArgument(
          "Cannot multiply A and B because inner dimension does not match: ", inner, " vs. ",
          b.dim(adjoint_b_ ? 1 : 0), ".  Did you forget a transpose?  Dimensions of A: [",
          a.dims()[0], ", ", a.dims()[1], ").  Dimensions of B: ", b.shape());
    }
    const int64_t columns = b.dim(adjoint_b_ ? 0 : 1);
    const int64_t dims[] = {rows, columns};
    RAMET_ASSIGN_OR_RETURN(const Shape shape, DenseShapeOf(dims));
    // Like TensorFlow, this does not look at indices if there is nothing to multiply.
    const bool empty = shape.num_elements() == 0 || b.num_elements() == 0;
    const int64_t count = empty ? 0 : a.count();
    for (int64_t i = 0; i < count; ++i) RAMET_RETURN_IF_ERROR(CheckIndex(a, i, rows, inner));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, b.dtype(), shape));
    return Multiply(c, a, count, b, *y);
  }

 private:
  // Short floats are summed in float.
  using Sum = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

  Status CheckIndex(const SparseView& a, int64_t i, int64_t rows, int64_t inner) const {
    const int64_t m = IntegerAt(a.indices, 2 * i + (adjoint_a_ ? 1 : 0));
    const int64_t k = IntegerAt(a.indices, 2 * i + (adjoint_a_ ? 0 : 1));
    if (k < 0 || k >= inner) {
      return InvalidArgument("k (", k, ") from index[", i, ",", adjoint_a_ ? 0 : 1,
                             "] out of bounds (>=", inner, ")");
    }
    if (m < 0 || m >= rows) {
      return InvalidArgument("m (", m, ") from index[", i, ",", adjoint_a_ ? 1 : 0,
                             "] out of bounds (>=", rows, ")");
    }
    return OkStatus();
  }

  // Sets y to the product of the first `count` elements of `a` and b.
  Status Multiply(KernelContext& c, const SparseView& a, int64_t count, const Tensor& b,
                  Tensor& y) const {
    Tensor sums = y;
    if (!std::is_same_v<Sum, T>) {
      RAMET_ASSIGN_OR_RETURN(sums, c.AllocateTemp(DTypeOf<Sum>::value, y.shape()));
    }
    Sum* out = sums.mutable_data<Sum>();
    std::fill_n(out, y.num_elements(), Sum());
    for (int64_t i = 0; i < count; ++i) AddRow(a, i, b, y.dim(1), out);
    if (!std::is_same_v<Sum, T>) {
      std::transform(out, out + y.num_elements(), y.mutable_data<T>(),
                     [](Sum x) { return static_cast<T>(x); });
    }
    return OkStatus();
  }

  // Adds the product of element i of `a` and the matching row of `b`.
  void AddRow(const SparseView& a, int64_t i, const Tensor& b, int64_t columns, Sum* out) const {
    const int64_t m = IntegerAt(a.indices, 2 * i + (adjoint_a_ ? 1 : 0));
    const int64_t k = IntegerAt(a.indices, 2 * i + (adjoint_a_ ? 0 : 1));
    const Sum factor = static_cast<Sum>(Conjugated(a.values.data<T>()[i], adjoint_a_));
    const T* x = b.data<T>() + (adjoint_b_ ? k : k * columns);
    const int64_t step = adjoint_b_ ? b.dim(1) : 1;
    for (int64_t n = 0; n < columns; ++n) {
      const Sum other = static_cast<Sum>(Conjugated(x[n * step], adjoint_b_));
      Sum& sum = out[m * columns + n];
      sum = WrappingAdd(sum, WrappingMul(factor, other));
    }
  }

  const bool adjoint_a_;
  const bool adjoint_b_;
};

Status SparseDenseMatMulShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(0, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_ASSIGN_OR_RETURN(Shape a, c.constant_as_shape(2));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRank(3, 2));
  RAMET_ASSIGN_OR_RETURN(const bool adjoint_a, c.attr<bool>("adjoint_a"));
  RAMET_ASSIGN_OR_RETURN(const bool adjoint_b, c.attr<bool>("adjoint_b"));
  RAMET_ASSIGN_OR_RETURN(a, a.MergeWith(Shape::OfRank(2)));
  const int64_t inner = a.dim(adjoint_a ? 0 : 1), other = b.dim(adjoint_b ? 1 : 0);
  if (inner >= 0 && other >= 0 && inner != other) {
    return InvalidArgument("Dimensions must be equal, but are ", inner, " and ", other,
                           " (the matrices have shapes ", a, " and ", b, ")");
  }
  c.set_output(0, Shape{a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)});
  return OkStatus();
}

// Returns column `i` of the indices, x[:, i].
Output IndexColumn(GradientContext& c, const Output& indices, int i) {
  constexpr std::string_view kOp = "strided_slice";
  const auto bound = [&](std::string_view name, int row, int column) {
    return Constant(c.graph(), Tensor::Vector<int32_t>({row, column}), ArgumentName(c, kOp, name));
  };
  const Output begin = bound("stack", 0, i), end = bound("stack_1", 0, i + 1),
               step = bound("stack_2", 1, 1);
  return c.Add("StridedSlice", {indices, begin, end, step},
               {{"begin_mask", 1}, {"end_mask", 1}, {"shrink_axis_mask", 2}}, kOp);
}

Output SwapMatrix(GradientContext& c, const Output& x, bool conjugate, std::string_view name) {
  const Output perm = Int32Vector(c, std::vector<int64_t>{1, 0}, StrCat(name, "/perm"));
  const bool conjugates = conjugate && IsComplex(BaseType(x.dtype()));
  return c.Add(conjugates ? "ConjugateTranspose" : "Transpose", {x, perm}, {}, name);
}

// The gradient of an element of `a` is the product of a row of the gradient and one of `b`.
Status SparseDenseMatMulGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool adjoint_a, c.attr<bool>("adjoint_a"));
  RAMET_ASSIGN_OR_RETURN(const bool adjoint_b, c.attr<bool>("adjoint_b"));
  const Output grad = c.grad(), indices = c.input(0), b = c.input(3);
  Output b_grad = c.Add("SparseTensorDenseMatMul", {indices, c.input(1), c.input(2), grad},
                        {{"adjoint_a", !adjoint_a}});
  if (adjoint_b) b_grad = SwapMatrix(c, b_grad, true, "matrix_transpose/transpose");
  const Output rows = IndexColumn(c, indices, 0), columns = IndexColumn(c, indices, 1);
  const Output left = c.Add("GatherV2", {grad, adjoint_a ? columns : rows, 0});
  const Output other = adjoint_b ? SwapMatrix(c, b, false, "transpose") : b;
  const Output right = c.Add("GatherV2", {other, adjoint_a ? rows : columns, 0});
  const Output x = c.Add("ExpandDims", {left, adjoint_a ? -1 : -2});
  const Output y = c.Add("ExpandDims", {right, adjoint_a == adjoint_b ? -2 : -1});
  const Output product = c.Add("BatchMatMulV2", {x, y},
                               {{"adj_x", adjoint_a}, {"adj_y", adjoint_a == adjoint_b}}, "MatMul");
  const Output squeezed =
      c.Add("Squeeze", {product}, {{"squeeze_dims", std::vector<int64_t>{-2, -1}}});
  return c.Return({Gradient(), squeezed, Gradient(), b_grad});
}

RAMET_OP("SparseTensorDenseMatMul")
    .Input("a_indices: Tindices")
    .Input("a_values: T")
    .Input("a_shape: int64")
    .Input("b: T")
    .Output("product: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64} = int64")
    .Attr("adjoint_a: bool = false")
    .Attr("adjoint_b: bool = false")
    .Doc(
        "Returns the product of a sparse and a dense matrix. With adjoint_a or adjoint_b, the "
        "matrix is transposed and conjugated first. Integers wrap. Error: the inputs are not the "
        "parts of a sparse matrix and a dense one; the inner dimensions differ; an index is out "
        "of bounds.")
    .Shape(SparseDenseMatMulShape)
    .Gradient(SparseDenseMatMulGradient)
    .CpuKernelClasses<SparseDenseMatMulKernel, RAMET_FLOATS, int32_t, RAMET_COMPLEX>();

// Returns x in float, without a copy if it already is.
StatusOr<Tensor> AsFloat(KernelContext& c, const Tensor& x) {
  if (x.dtype() == kFloat) return x;
  RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(kFloat, x.shape()));
  const BFloat16* from = x.data<BFloat16>();
  std::transform(from, from + x.num_elements(), y.mutable_data<float>(),
                 [](BFloat16 v) { return static_cast<float>(v); });
  return y;
}

// The attrs a_is_sparse and b_is_sparse only promise many zeros, so a dense product is right.
class SparseMatMulKernel final : public Kernel {
 public:
  explicit SparseMatMulKernel(const KernelNode& node)
      : transpose_a_(node.attrs->GetOr("transpose_a", false)),
        transpose_b_(node.attrs->GetOr("transpose_b", false)) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<SparseMatMulKernel>(node));
  }
  Status Compute(KernelContext& c) override {
    const Tensor &a = c.input(0), &b = c.input(1);
    if (a.rank() != 2) return InvalidArgument("a is not a matrix");
    if (b.rank() != 2) return InvalidArgument("b is not a matrix");
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument("Matrix size incompatible: a: ", a.shape(), ", b: ", b.shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kFloat, Shape{m, n}));
    if (m == 0 || n == 0) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(const Tensor x, AsFloat(c, a));
    RAMET_ASSIGN_OR_RETURN(const Tensor z, AsFloat(c, b));
    linalg::Gemm(transpose_a_, transpose_b_, m, n, k, x.data<float>(), z.data<float>(),
                 y->mutable_data<float>());
    return OkStatus();
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

Status SparseMatMulShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape a, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRank(1, 2));
  RAMET_ASSIGN_OR_RETURN(const bool transpose_a, c.attr<bool>("transpose_a"));
  RAMET_ASSIGN_OR_RETURN(const bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("Dimensions must be equal, but are ", inner_a, " and ", inner_b,
                           " (the matrices have shapes ", a, " and ", b, ")");
  }
  c.set_output(0, Shape{a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)});
  return OkStatus();
}

// One factor of a product in the gradient.
struct Factor {
  Output value;
  bool sparse, transpose;
};

// Like tf.matmul, this adds a plain MatMul unless a factor is sparse or the dtypes differ.
Output SparseProduct(GradientContext& c, const Factor& x, Factor y, DType type) {
  if (y.transpose) y.value = SwapMatrix(c, y.value, false, "transpose");
  const bool plain = !x.sparse && !y.sparse && x.value.dtype() == y.value.dtype();
  AttrMap attrs = {{"transpose_a", x.transpose}};
  if (!plain) {
    attrs.Set("a_is_sparse", x.sparse);
    attrs.Set("b_is_sparse", y.sparse);
  }
  return Cast(c, c.Add(plain ? "MatMul" : "SparseMatMul", {x.value, y.value}, attrs, "MatMul"),
              type);
}

Status SparseMatMulGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool ta, c.attr<bool>("transpose_a"));
  RAMET_ASSIGN_OR_RETURN(const bool tb, c.attr<bool>("transpose_b"));
  RAMET_ASSIGN_OR_RETURN(const bool a_sparse, c.attr<bool>("a_is_sparse"));
  RAMET_ASSIGN_OR_RETURN(const bool b_sparse, c.attr<bool>("b_is_sparse"));
  const Output grad = c.grad(), a = c.input(0), b = c.input(1);
  const bool grad_sparse = grad.valid() && grad.op().type() == "ReluGrad";
  const auto g = [&](bool transpose) { return Factor{grad, grad_sparse, transpose}; };
  const auto fa = [&](bool transpose) { return Factor{a, a_sparse, transpose}; };
  const auto fb = [&](bool transpose) { return Factor{b, b_sparse, transpose}; };
  const Output a_grad = ta ? SparseProduct(c, fb(tb), g(true), BaseType(a.dtype()))
                           : SparseProduct(c, g(false), fb(!tb), BaseType(a.dtype()));
  const Output b_grad = tb ? SparseProduct(c, g(true), fa(ta), BaseType(b.dtype()))
                           : SparseProduct(c, fa(!ta), g(false), BaseType(b.dtype()));
  return c.Return({a_grad, b_grad});
}

RAMET_OP("SparseMatMul")
    .Input("a: Ta")
    .Input("b: Tb")
    .Output("product: float")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("a_is_sparse: bool = false")
    .Attr("b_is_sparse: bool = false")
    .Attr("Ta: {float, bfloat16} = float")
    .Attr("Tb: {float, bfloat16} = float")
    .Doc(
        "Returns the product of two dense matrices in float. a_is_sparse and b_is_sparse say that "
        "most elements of a matrix are 0, which has no effect on the result. Error: an input is "
        "not a matrix; the inner dimensions differ.")
    .Shape(SparseMatMulShape)
    .Gradient(SparseMatMulGradient)
    .CpuKernelClass<SparseMatMulKernel>();

}  // namespace
}  // namespace ramet
