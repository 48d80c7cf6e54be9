#include <algorithm>

#include "ramet/linalg/broadcast.h"
#include "ramet/linalg/factor.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/linalg/computed.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/gradient_util.h"

// Inverses and linear equations.

namespace ramet {
namespace {

using linalg::Factor;

template <class T>
Status Inverse(KernelContext& c, bool adjoint) {
  using C = Computed<T>;
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  const Elements<T> in(x);
  return FillOutput<T>(y, [&](C* out) -> Status {
    MatrixRunner runner(FactorWork(all.n));
    const auto inverse = [n = all.n, adjoint](const MatrixArgs& args) {
      *args.out<bool>(1) = Factor<C>::Inverse(n, args.in<C>(0), adjoint, args.out<C>(0));
    };
    for (int64_t i = 0; i < all.filled(); ++i) {
      bool ok = false;
      if (!runner.Run({all.Operand(in.data(), i)}, {all.Result(out, i), MatrixResult::Of(&ok, 1)},
                      inverse)) {
        break;
      }
      if (!ok) return NotInvertible();
    }
    return OkStatus();
  });
}

template <class T>
Status Solve(KernelContext& c, bool adjoint) {
  using C = Computed<T>;
  const Tensor &a = c.input(0), &b = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Matrices lhs, Matrices::Of(a, 0));
  if (a.rank() != b.rank()) return InvalidArgument("All input tensors must have the same rank.");
  RAMET_ASSIGN_OR_RETURN(Matrices rhs, Matrices::Of(b, 1));
  if (lhs.batch != rhs.batch) {
    return InvalidArgument("All input tensors must have the same outer dimensions.");
  }
  if (lhs.m != lhs.n) return InvalidArgument("First input (lhs) must be a square matrix.");
  if (lhs.m != rhs.m) return InvalidArgument("Input matrix and rhs are incompatible.");
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, b.dtype(), b.shape()));
  if (rhs.size() == 0) return OkStatus();
  const Elements<T> as(a), bs(b);
  return FillOutput<T>(y, [&](C* out) -> Status {
    MatrixRunner runner(FactorWork(lhs.n) + ProductWork(lhs.n, lhs.n, rhs.n));
    const auto solve = [n = lhs.n, k = rhs.n, adjoint](const MatrixArgs& args) {
      *args.out<bool>(1) =
          Factor<C>::Solve(n, k, args.in<C>(0), adjoint, args.in<C>(1), args.out<C>(0));
    };
    for (int64_t i = 0; i < lhs.count; ++i) {
      bool ok = false;
      if (!runner.Run({lhs.Operand(as.data(), i), rhs.Operand(bs.data(), i)},
                      {rhs.Result(out, i), MatrixResult::Of(&ok, 1)}, solve)) {
        break;
      }
      if (!ok) return InvalidArgument("Input matrix is not invertible.");
    }
    return OkStatus();
  });
}

Status CheckTriangular(const Tensor& a, const Tensor& b) {
  for (const Tensor* t : {&a, &b}) {
    if (t->rank() < 2) {
      return InvalidArgument("In[", t == &a ? 0 : 1, "] ndims must be >= 2: ", t->rank());
    }
  }
  const int64_t m = a.dim(a.rank() - 2), n = a.dim(a.rank() - 1), rows = b.dim(b.rank() - 2);
  if (m != n) {
    return InvalidArgument("In[0] matrices in the last dimensions must be square (", n, " =/= ", m,
                           ")");
  }
  if (n == rows) return OkStatus();
  return InvalidArgument("In[0] mismatch In[1] shape: ", n, " vs. ", rows, ": ", a.shape(), " ",
                         b.shape());
}

template <class T>
Status TriangularSolve(KernelContext& c, bool adjoint, bool lower) {
  const Tensor &a = c.input(0), &b = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckTriangular(a, b));
  RAMET_ASSIGN_OR_RETURN(Matrices lhs, Matrices::Of(a, 0));
  RAMET_ASSIGN_OR_RETURN(Matrices rhs, Matrices::Of(b, 1));
  const StatusOr<Shape> batch = BroadcastShapes(lhs.batch, rhs.batch);
  if (!batch.ok()) {
    return InvalidArgument("In[0] and In[1] must have compatible batch dimensions: ", a.shape(),
                           " vs. ", b.shape());
  }
  Shape shape = *batch;
  shape.Append(rhs.m);
  shape.Append(rhs.n);
  RAMET_ASSIGN_OR_RETURN(shape, Shape::Make(shape.dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, b.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(lhs.batch.dims(), rhs.batch.dims(), &plan);
  MatrixRunner runner(ProductWork(lhs.n, lhs.n, rhs.n));
  const auto solve = [n = lhs.n, k = rhs.n, lower, adjoint](const MatrixArgs& args) {
    Factor<T>::TriangularSolve(n, k, args.in<T>(0), lower, adjoint, args.in<T>(1), args.out<T>(0));
  };
  bool stopped = false;
  ForEachBroadcast<2>(plan, [&](int64_t i, const std::array<int64_t, 2>& at) {
    if (stopped) return;
    stopped = !runner.Run({lhs.Operand(a.data<T>(), at[0]), rhs.Operand(b.data<T>(), at[1])},
                          {rhs.Result(y->mutable_data<T>(), i)}, solve);
  });
  return OkStatus();
}

enum class Kind { kInverse, kSolve, kTriangular };

template <class T, Kind kind>
class LinearKernel final : public Kernel {
 public:
  explicit LinearKernel(const KernelNode& node)
      : adjoint_(node.attrs->GetOr("adjoint", false)), lower_(node.attrs->GetOr("lower", true)) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<LinearKernel>(node);
  }
  Status Compute(KernelContext& c) override {
    if constexpr (kind == Kind::kInverse) return Inverse<T>(c, adjoint_);
    if constexpr (kind == Kind::kSolve) return Solve<T>(c, adjoint_);
    if constexpr (kind == Kind::kTriangular) return TriangularSolve<T>(c, adjoint_, lower_);
  }

 private:
  const bool adjoint_, lower_;
};
template <class T>
using InverseKernel = LinearKernel<T, Kind::kInverse>;
template <class T>
using SolveKernel = LinearKernel<T, Kind::kSolve>;
template <class T>
using TriangularKernel = LinearKernel<T, Kind::kTriangular>;

// Infers [..., m, k] from [..., m, m] and [..., m, k]. The leading dimensions broadcast, or must be
// equal.
template <bool kBroadcasts>
Status SolveShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape a, MakeSquare(c, 0));
  RAMET_ASSIGN_OR_RETURN(Shape b, c.WithRankAtLeast(1, 2));
  if (a.unknown_rank() || b.unknown_rank()) return OkStatus();
  const Shape rows = Shape{b.dim(b.rank() - 2)};
  RAMET_ASSIGN_OR_RETURN(Shape merged, a.Slice(a.rank() - 1, a.rank()).MergeWith(rows));
  const Shape a_batch = a.Slice(0, a.rank() - 2), b_batch = b.Slice(0, b.rank() - 2);
  RAMET_ASSIGN_OR_RETURN(
      Shape batch, kBroadcasts ? BroadcastShapes(a_batch, b_batch) : a_batch.MergeWith(b_batch));
  if (batch.unknown_rank()) return OkStatus();
  c.set_output(0, batch.Concatenate(merged).Concatenate(b.Slice(b.rank() - 1, b.rank())));
  return OkStatus();
}

// The gradient is -Y^H * grad * Y^H for Y = X^-1, and -Y * grad^H * Y for Y = X^-H.
Status InverseGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool adjoint, c.attr<bool>("adjoint"));
  const Output y = c.output();
  const Output inner = MatMul(c, c.grad(), y, adjoint, !adjoint);
  return c.Return({-MatMul(c, y, inner, !adjoint, false)});
}

Status SolveGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool adjoint, c.attr<bool>("adjoint"));
  const Output x = c.output();
  const Output by_b = c.Add("MatrixSolve", {c.input(0), c.grad()}, {{"adjoint", !adjoint}});
  const Output by_a = adjoint ? MatMul(c, x, by_b, false, true) : MatMul(c, by_b, x, false, true);
  return c.Return({-by_a, by_b});
}

Status TriangularGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool adjoint, c.attr<bool>("adjoint"));
  RAMET_ASSIGN_OR_RETURN(bool lower, c.attr<bool>("lower"));
  const Output a = c.input(0), b = c.input(1), x = c.output();
  const Output by_b = TriangularSolve(c, a, c.grad(), lower, !adjoint);
  const Output product =
      -(adjoint ? MatMul(c, x, by_b, false, true) : MatMul(c, by_b, x, false, true));
  const Output by_a = lower ? LowerTriangle(c, product) : UpperTriangle(c, product);
  if (SameKnownShape(a, b) && !a.shape().unknown_rank()) return c.Return({by_a, by_b});
  const Output a_shape = ShapeOf(c, a), b_shape = ShapeOf(c, b);
  const Tensor end = Tensor::Vector<int32_t>({-2});
  const Operation axes =
      c.AddOperation("BroadcastGradientArgs", {SliceTo(c, a_shape, end), SliceTo(c, b_shape, end)});
  if (!axes.valid()) return c.Return({Gradient(), Gradient()});
  const Output a_sum = c.Add("Sum", {by_a, axes.output(0)});
  const Output b_sum = c.Add("Sum", {by_b, axes.output(1)});
  return c.Return({Reshape(c, a_sum, a_shape), Reshape(c, b_sum, b_shape)});
}

RAMET_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns the inverses of the square matrices along the last two dimensions, or of their "
        "adjoints with `adjoint`. The output has the shape of the input. Error: the matrices are "
        "not square; one cannot be inverted.")
    .Shape(SquareShape)
    .Gradient(InverseGradient)
    .CpuKernelClasses<InverseKernel, Half, RAMET_LINALG_TYPES>();

RAMET_OP("MatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns the solutions x of matrix * x = rhs along the last two dimensions, or of matrix^H "
        "* x = rhs with `adjoint`. The output has the shape of rhs. Error: the matrices are not "
        "square; the ranks, the leading dimensions or the numbers of rows differ; a matrix cannot "
        "be inverted.")
    .Shape(SolveShape<false>)
    .Gradient(SolveGradient)
    .CpuKernelClasses<SolveKernel, RAMET_LINALG_TYPES>();

RAMET_OP("MatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
    .Doc(
        "Returns the solutions x of matrix * x = rhs along the last two dimensions, or of matrix^H "
        "* x = rhs with `adjoint`. Only the lower triangle of `matrix` is read, or, without "
        "`lower`, only the upper one. The leading dimensions broadcast. Error: the matrices are "
        "not square; their size is not the number of rows of rhs; the leading dimensions do not "
        "broadcast.")
    .Shape(SolveShape<true>)
    .Gradient(TriangularGradient)
    .CpuKernelClasses<TriangularKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
