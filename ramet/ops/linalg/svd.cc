#include "ramet/linalg/svd.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

template <class T>
void FillIdentity(int64_t count, int64_t n, T* y) {
  for (int64_t i = 0; i < count * n * n; ++i) {
    const int64_t at = i % (n * n);
    y[i] = T(at / n == at % n ? 1 : 0);
  }
}

template <class T>
class SvdKernel final : public Kernel {
 public:
  SvdKernel(bool compute_uv, bool full) : compute_uv_(compute_uv), full_(full) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SvdKernel>(node.attrs->GetOr("compute_uv", true),
                                       node.attrs->GetOr("full_matrices", false));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::Of(x, 0));
    const int64_t p = std::min(all.m, all.n), u_size = full_ ? all.m : p,
                  v_size = full_ ? all.n : p;
    const Shape none{0};
    RAMET_ASSIGN_OR_RETURN(Tensor * s, c.Allocate(0, x.dtype(), all.With({p})));
    RAMET_ASSIGN_OR_RETURN(
        Tensor * u, c.Allocate(1, x.dtype(), compute_uv_ ? all.With({all.m, u_size}) : none));
    RAMET_ASSIGN_OR_RETURN(
        Tensor * v, c.Allocate(2, x.dtype(), compute_uv_ ? all.With({all.n, v_size}) : none));
    T *u_out = u->mutable_data<T>(), *v_out = v->mutable_data<T>();
    if (all.size() == 0) {
      if (compute_uv_ && full_) FillIdentity(all.count, all.m, u_out);
      if (compute_uv_ && full_) FillIdentity(all.count, all.n, v_out);
      return OkStatus();
    }
    MatrixRunner runner(SpectralWork(all.m, all.n));
    const auto svd = [m = all.m, n = all.n, full = full_](const MatrixArgs& args) {
      linalg::Svd(m, n, args.in<T>(0), full, args.out<T>(0), args.out<T>(1), args.out<T>(2));
    };
    for (int64_t i = 0; i < all.count; ++i) {
      MatrixResult u_i, v_i;
      if (compute_uv_) u_i = MatrixResult::Of(u_out + i * all.m * u_size, all.m * u_size);
      if (compute_uv_) v_i = MatrixResult::Of(v_out + i * all.n * v_size, all.n * v_size);
      const MatrixResult s_i = MatrixResult::Of(s->mutable_data<T>() + i * p, p);
      if (!runner.Run({all.Operand(x.data<T>(), i)}, {s_i, u_i, v_i}, svd)) break;
    }
    return OkStatus();
  }

 private:
  const bool compute_uv_, full_;
};

Status SvdShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool compute_uv, c.attr<bool>("compute_uv"));
  RAMET_ASSIGN_OR_RETURN(bool full, c.attr<bool>("full_matrices"));
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  if (!compute_uv) {
    c.set_output(1, Shape{0});
    c.set_output(2, Shape{0});
  }
  if (x.unknown_rank()) return OkStatus();
  const int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  const int64_t p = m < 0 || n < 0 ? Shape::kUnknownDim : std::min(m, n);
  const Shape batch = x.Slice(0, x.rank() - 2);
  c.set_output(0, batch.Concatenate(Shape{p}));
  if (!compute_uv) return OkStatus();
  c.set_output(1, batch.Concatenate(Shape{m, full ? m : p}));
  c.set_output(2, batch.Concatenate(Shape{n, full ? n : p}));
  return OkStatus();
}

// Returns 1 / x, and 0 for 0.
Output SafeReciprocal(GradientContext& c, const Output& x) {
  const Output square = c.Add("Square", {x});
  return x * c.Add("Reciprocal", {square + ScalarLike(c, x.dtype(), 1e-20)});
}

// Returns columns of a tensor with the same rank as the input, whose rank is known. (The rank of a
// gradient that the caller supplied may be unknown.)
Output ColumnsOf(GradientContext& c, const Output& x, int64_t begin, int64_t count) {
  const auto rank = static_cast<size_t>(c.input(0).shape().rank());
  std::vector<int64_t> from(rank, 0), size(rank, -1);
  from.back() = begin;
  size.back() = count;
  return c.Add("Slice", {x, Int32Vector(c, from), Int32Vector(c, size)});
}

// Computes the gradient of a matrix [m, n], m <= n, from those of s, u [m, m] and v [n, ...].
class WideGradient {
 public:
  WideGradient(GradientContext& c, int64_t m, int64_t n, bool full, Output s, Output u, Output v)
      : c_(c), m_(m), n_(n), full_(full), s_(s), u_(u), v_(v) {}

  Output Of(const Output& s_grad, const Output& u_grad, const Output& v_grad) const {
    const Output s_mat = Diag(s_), s2 = c_.Add("Square", {s_});
    const Output differences = c_.Add("ExpandDims", {s2, Tensor(int32_t{-2})}) -
                               c_.Add("ExpandDims", {s2, Tensor(int32_t{-1})});
    const Output f = c_.Add("MatrixSetDiag", {SafeReciprocal(c_, differences), ZerosLike(c_, s_)});
    const Output s_inverse = Diag(SafeReciprocal(c_, s_));
    const Output v1 = FirstColumns(v_), v1_grad = FirstColumns(v_grad);
    const Output f_u = f * MatMul(c_, u_, u_grad, true);
    const Output v_gv = MatMul(c_, v1, v1_grad, true);
    const Output f_v = f * v_gv;
    const Output inner = Diag(s_grad) + MatMul(c_, f_u + Adjoint(c_, f_u), s_mat) +
                         MatMul(c_, s_mat, f_v + Adjoint(c_, f_v));
    Output grad = MatMul(c_, u_, MatMul(c_, inner, v1, false, true));
    if (m_ < n_) grad = grad + OutsideRows(s_inverse, v1, v1_grad, v_grad);
    if (IsComplex(u_.dtype())) grad = grad + Phases(s_inverse, v_gv, v1);
    return grad;
  }

 private:
  Output Diag(const Output& x) const { return c_.Add("MatrixDiag", {x}); }
  Output FirstColumns(const Output& x) const { return ColumnsOf(c_, x, 0, m_); }

  // Returns the part of the gradient outside the space spanned by the columns of v1.
  Output OutsideRows(const Output& s_inverse, const Output& v1, const Output& v1_grad,
                     const Output& v_grad) const {
    const Output adjoint = Adjoint(c_, v1_grad);
    Output rest = adjoint - MatMul(c_, MatMul(c_, adjoint, v1), v1, false, true);
    if (full_) {
      const Output v2 = ColumnsOf(c_, v_, m_, n_ - m_);
      const Output v2_grad = ColumnsOf(c_, v_grad, m_, n_ - m_);
      rest = rest - MatMul(c_, MatMul(c_, v1, v2_grad, true), v2, false, true);
    }
    return MatMul(c_, MatMul(c_, u_, s_inverse), rest);
  }

  // The correction for complex matrices: the diagonal of v^H * dv is imaginary.
  Output Phases(const Output& s_inverse, const Output& v_gv, const Output& v1) const {
    const Output l = Diag(c_.Add("MatrixDiagPart", {v_gv}));
    const Output inner = MatMul(c_, s_inverse, Adjoint(c_, l) - l);
    const Output whole = MatMul(c_, u_, MatMul(c_, inner, v1, false, true));
    return ScalarLike(c_, u_.dtype(), 0.5) * whole;
  }

  GradientContext& c_;
  const int64_t m_, n_;
  const bool full_;
  const Output s_, u_, v_;
};

Status ValuesGradient(GradientContext& c) {
  const Operation whole = c.AddOperation("Svd", {c.input(0)}, {{"compute_uv", true}});
  if (!whole.valid()) return NoGradient(c);
  const Output middle = c.Add("MatrixDiag", {c.grad(0)});
  return c.Return({MatMul(c, whole.output(1), MatMul(c, middle, whole.output(2), false, true))});
}

Status SvdGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool compute_uv, c.attr<bool>("compute_uv"));
  RAMET_ASSIGN_OR_RETURN(bool full, c.attr<bool>("full_matrices"));
  if (!compute_uv) return ValuesGradient(c);
  const Shape& x = c.input(0).shape();
  const int64_t m = x.unknown_rank() ? -1 : x.dim(x.rank() - 2);
  const int64_t n = x.unknown_rank() ? -1 : x.dim(x.rank() - 1);
  if (m < 0 || n < 0) {
    return Unimplemented(
        "SVD gradient has not been implemented for input with unknown inner matrix shape.");
  }
  if (full && std::abs(m - n) > 1) {
    return Unimplemented(
        "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: "
        "m=",
        std::min(m, n), " and n=", std::max(m, n), " from an input with shape=", x, ".");
  }
  const Output s = c.output(0), u = c.output(1), v = c.output(2);
  const Output s_grad = c.grad(0), u_grad = c.grad(1), v_grad = c.grad(2);
  if (m <= n) {
    return c.Return({WideGradient(c, m, n, full, s, u, v).Of(s_grad, u_grad, v_grad)});
  }
  const Output adjoint = WideGradient(c, n, m, full, s, v, u).Of(s_grad, v_grad, u_grad);
  return c.Return({Adjoint(c, adjoint)});
}

RAMET_OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns the singular values s, in descending order, of the matrices [m, n] along the last "
        "two dimensions, and u and v with u * diag(s) * v^H = input. u is [m, p] and v is [n, p] "
        "with p = min(m, n); with full_matrices they are [m, m] and [n, n]. Without compute_uv, u "
        "and v are empty. If a matrix is not finite, all its results are NaN. Error: the rank is "
        "below 2.")
    .Shape(SvdShape)
    .Gradient(SvdGradient)
    .CpuKernelClasses<SvdKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
