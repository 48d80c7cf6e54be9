#include "ramet/linalg/qr.h"
#include "ramet/ops/linalg/computed.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// Fills q with identity matrices, for matrices without elements.
template <class T>
void FillIdentity(const Matrices& all, T* q) {
  for (int64_t i = 0; i < all.count * all.m * all.m; ++i) {
    const int64_t at = i % (all.m * all.m);
    q[i] = T(at / all.m == at % all.m ? 1 : 0);
  }
}

template <class T>
Status Qr(KernelContext& c, bool full) {
  using C = Computed<T>;
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::Of(x, 0));
  const int64_t p = full ? all.m : std::min(all.m, all.n);
  RAMET_ASSIGN_OR_RETURN(Tensor * q, c.Allocate(0, x.dtype(), all.With({all.m, p})));
  RAMET_ASSIGN_OR_RETURN(Tensor * r, c.Allocate(1, x.dtype(), all.With({p, all.n})));
  const Elements<T> in(x);
  return FillOutput<T>(q, [&](C* q_out) {
    return FillOutput<T>(r, [&](C* r_out) {
      if (all.size() == 0 && full) FillIdentity(all, q_out);
      MatrixRunner runner(2 * ProductWork(all.m, all.n, p));
      const auto qr = [m = all.m, n = all.n, full](const MatrixArgs& args) {
        linalg::Qr(m, n, args.in<C>(0), full, args.out<C>(0), args.out<C>(1));
      };
      for (int64_t i = 0; i < all.filled(); ++i) {
        const MatrixResult q_i = MatrixResult::Of(q_out + i * all.m * p, all.m * p);
        const MatrixResult r_i = MatrixResult::Of(r_out + i * p * all.n, p * all.n);
        if (!runner.Run({all.Operand(in.data(), i)}, {q_i, r_i}, qr)) break;
      }
      return OkStatus();
    });
  });
}

template <class T>
class QrKernel final : public Kernel {
 public:
  explicit QrKernel(bool full) : full_(full) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<QrKernel>(node.attrs->GetOr("full_matrices", false));
  }
  Status Compute(KernelContext& c) override { return Qr<T>(c, full_); }

 private:
  const bool full_;
};

Status QrShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool full, c.attr<bool>("full_matrices"));
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  if (x.unknown_rank()) return OkStatus();
  const int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  const int64_t least = m < 0 || n < 0 ? Shape::kUnknownDim : std::min(m, n);
  const Shape batch = x.Slice(0, x.rank() - 2);
  const int64_t p = full ? m : least;
  c.set_output(0, batch.Concatenate(Shape{m, p}));
  c.set_output(1, batch.Concatenate(Shape{p, n}));
  return OkStatus();
}

// Returns x * r^-1.
Output TimesInverse(GradientContext& c, const Output& x, const Output& r) {
  return Adjoint(c, TriangularSolve(c, r, Adjoint(c, x), false, false));
}

// Returns the gradient of matrices with at least as many rows as columns.
Output DeepGradient(GradientContext& c, const Output& q, const Output& r, const Output& q_grad,
                    const Output& r_grad) {
  const Output qdq = MatMul(c, q, q_grad, true);
  const Output qdq_part = qdq - Adjoint(c, qdq);
  const Output rdr = MatMul(c, r, r_grad, false, true);
  const Output rdr_part = rdr - Adjoint(c, rdr);
  const Output lower = LowerTriangle(c, qdq_part + rdr_part);
  const Output inside = MatMul(c, q, r_grad + TimesInverse(c, lower, r));
  const Output outside = TimesInverse(c, q_grad - MatMul(c, q, qdq), r);
  const Output sum = inside + outside;
  if (!IsComplex(q.dtype())) return sum;
  const Output m = rdr - Adjoint(c, qdq);
  const Output diagonal = c.Add("MatrixDiagPart", {m});
  const Output whole = c.Add("MatrixSetDiag", {ZerosLike(c, m), diagonal});
  const DType real = q.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  const Output correction = whole - Cast(c, c.Add("Real", {whole}, {{"Tout", real}}), q.dtype());
  return sum + TimesInverse(c, MatMul(c, q, Adjoint(c, correction)), r);
}

// Returns the columns [begin, end) of x, or all from `begin` on if `end` is negative. x has the
// rank of the op's input; the static rank of a gradient may be unknown.
Output Columns(GradientContext& c, const Output& x, int64_t begin, int64_t end) {
  const auto rank = static_cast<size_t>(c.input(0).shape().rank());
  std::vector<int64_t> from(rank, 0), size(rank, -1);
  from.back() = begin;
  if (end >= 0) size.back() = end - begin;
  return c.Add("Slice", {x, Int32Vector(c, from), Int32Vector(c, size)});
}

Status QrGradient(GradientContext& c) {
  const Output q = c.output(0), r = c.output(1);
  const Shape& q_shape = q.shape();
  const Shape& r_shape = r.shape();
  if (r_shape.unknown_rank() || r_shape.dim(r_shape.rank() - 2) < 0 ||
      r_shape.dim(r_shape.rank() - 1) < 0) {
    return Unimplemented("QrGrad not implemented with dynamic shapes. Received r.shape: ", r_shape);
  }
  const int64_t rows = r_shape.dim(r_shape.rank() - 2), columns = r_shape.dim(r_shape.rank() - 1);
  const int64_t m = q_shape.dim(q_shape.rank() - 2);
  if (rows > columns && m == q_shape.dim(q_shape.rank() - 1)) {
    return Unimplemented(
        "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape=",
        r_shape, " with nrows=", rows, " and ncols=", columns, ".");
  }
  const Output q_grad = c.grad(0), r_grad = c.grad(1);
  if (m >= columns) return c.Return({DeepGradient(c, q, r, q_grad, r_grad)});
  const Output right = Columns(c, c.input(0), m, -1), left_r = Columns(c, r, 0, m);
  const Output right_grad = Columns(c, r_grad, m, -1), left_grad = Columns(c, r_grad, 0, m);
  const Output y_grad = MatMul(c, q, right_grad);
  const Output x_grad =
      DeepGradient(c, q, left_r, q_grad + MatMul(c, right, right_grad, false, true), left_grad);
  return c.Return({c.Add("ConcatV2", {x_grad, y_grad, Tensor(int32_t{-1})}, {{"N", 2}})});
}

RAMET_OP("Qr")
    .Input("input: T")
    .Output("q: T")
    .Output("r: T")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns q and r with q * r = input for the matrices [m, n] along the last two dimensions, "
        "computed with Householder reflections. q is [m, p] and has orthonormal columns; r is [p, "
        "n] and has zeros below its diagonal. p is min(m, n), or m with full_matrices. Error: the "
        "rank is below 2.")
    .Shape(QrShape)
    .Gradient(QrGradient)
    .CpuKernelClasses<QrKernel, Half, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
