#include "ramet/linalg/least_squares.h"

#include <algorithm>

#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

// MatrixSolveLs: linear equations in the least-squares sense.

namespace ramet {
namespace {

struct Problem {
  Matrices lhs, rhs;
  double l2;
};

StatusOr<Problem> ReadProblem(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1), &l2 = c.input(2);
  RAMET_ASSIGN_OR_RETURN(const Matrices lhs, Matrices::Of(a, 0));
  if (a.rank() != b.rank()) return InvalidArgument("All input tensors must have the same rank.");
  RAMET_ASSIGN_OR_RETURN(const Matrices rhs, Matrices::Of(b, 1));
  if (lhs.batch != rhs.batch) {
    return InvalidArgument("All input tensors must have the same outer dimensions.");
  }
  if (lhs.m != rhs.m) return InvalidArgument("Input matrix and rhs are incompatible.");
  if (lhs.count == 0) return Problem{lhs, rhs, 0};  // like TensorFlow, without a look at l2
  if (l2.rank() != 0) {
    return InvalidArgument("l2_regularizer must be scalar, got shape ", l2.shape());
  }
  if (!(l2.scalar<double>() >= 0)) return InvalidArgument("l2_regularizer must be >= 0.");
  return Problem{lhs, rhs, l2.scalar<double>()};
}

template <class T>
class LeastSquaresKernel final : public Kernel {
 public:
  explicit LeastSquaresKernel(bool fast) : fast_(fast) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<LeastSquaresKernel>(node.attrs->GetOr("fast", true));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Problem problem, ReadProblem(c));
    const Matrices &lhs = problem.lhs, &rhs = problem.rhs;
    RAMET_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(lhs.With({lhs.n, rhs.n}).dims()));
    RAMET_ASSIGN_OR_RETURN(Tensor * x, c.Allocate(0, c.input(1).dtype(), shape));
    T* const out = x->mutable_data<T>();
    if (lhs.size() == 0 || rhs.size() == 0) {
      std::fill_n(out, x->num_elements(), T(0));
      return OkStatus();
    }
    MatrixRunner runner(FactorWork(std::max(lhs.m, lhs.n)) + ProductWork(lhs.m, lhs.n, rhs.n));
    const auto solve = [m = lhs.m, n = lhs.n, k = rhs.n, l2 = problem.l2,
                        fast = fast_](const MatrixArgs& args) {
      *args.out<bool>(1) =
          linalg::LeastSquares(m, n, k, args.in<T>(0), args.in<T>(1), l2, fast, args.out<T>(0));
    };
    const int64_t size = lhs.n * rhs.n;
    for (int64_t i = 0; i < lhs.count; ++i) {
      bool ok = false;
      const MatrixResult result = MatrixResult::Of(out + i * size, size);
      if (!runner.Run({lhs.Operand(c.input(0).data<T>(), i), rhs.Operand(c.input(1).data<T>(), i)},
                      {result, MatrixResult::Of(&ok, 1)}, solve)) {
        break;
      }
      if (!ok) {
        return InvalidArgument(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide "
            "a larger l2_regularizer > 0.");
      }
    }
    return OkStatus();
  }

 private:
  const bool fast_;
};

// Infers [..., n, k] from [..., m, n] and [..., m, k].
Status LeastSquaresShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape a, c.WithRankAtLeast(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape b, c.WithRankAtLeast(1, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  if (a.unknown_rank() || b.unknown_rank()) return OkStatus();
  const int r = a.rank(), q = b.rank();
  RAMET_ASSIGN_OR_RETURN(const Shape batch, a.Slice(0, r - 2).MergeWith(b.Slice(0, q - 2)));
  RAMET_RETURN_IF_ERROR(a.Slice(r - 2, r - 1).MergeWith(b.Slice(q - 2, q - 1)).status());
  c.set_output(0, batch.Concatenate(a.Slice(r - 1, r)).Concatenate(b.Slice(q - 1, q)));
  return OkStatus();
}

Output CholeskySolve(GradientContext& c, const Output& factor, const Output& rhs) {
  const Output half = TriangularSolve(c, factor, rhs, true, false);
  return TriangularSolve(c, factor, half, true, true);
}

// Returns the factor of a^H * a (or a * a^H for `wide` matrices) + l2 * identity.
Output RegularizedFactor(GradientContext& c, const Output& a, const Output& l2, bool wide) {
  const Output gramian = MatMul(c, a, a, !wide, wide);
  const Output ones = OnesLike(c, c.Add("MatrixDiagPart", {gramian}));
  const Output identity = c.Add("MatrixDiag", {ones});
  return c.Add("Cholesky", {gramian + l2 * identity});
}

Status TallGradient(GradientContext& c, const Output& l2) {
  const Output a = c.input(0), b = c.input(1), x = c.output(), grad = c.grad();
  const Output z = CholeskySolve(c, RegularizedFactor(c, a, l2, false), grad);
  const Output xz = MatMul(c, x, z, false, true);
  const Output symmetric = xz + Conj(c, Adjoint(c, xz));
  const Output by_a = -MatMul(c, a, symmetric) + MatMul(c, b, z, false, true);
  return c.Return({by_a, MatMul(c, a, z), Gradient()});
}

Status WideGradient(GradientContext& c, const Output& l2) {
  const Output a = c.input(0), b = c.input(1), grad = c.grad();
  const Output factor = RegularizedFactor(c, a, l2, true);
  const Output by_b = CholeskySolve(c, factor, MatMul(c, a, grad));
  const Output solved = CholeskySolve(c, factor, b);
  const Output first = -MatMul(c, by_b, MatMul(c, solved, a, true));
  const Output rest = grad - MatMul(c, a, by_b, true);
  return c.Return({first + MatMul(c, solved, rest, false, true), by_b, Gradient()});
}

Status LeastSquaresGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const bool fast, c.attr<bool>("fast"));
  if (!fast) return InvalidArgument("Gradient not defined for fast=False");
  const Shape shape = c.input(0).shape();
  const int r = shape.rank();
  if (r < 2 || shape.dim(r - 2) < 0 || shape.dim(r - 1) < 0) {
    return Unimplemented("the gradient of MatrixSolveLs requires matrices of known sizes");
  }
  const Output l2 = Cast(c, c.input(2), c.input(0).dtype());
  return shape.dim(r - 2) >= shape.dim(r - 1) ? TallGradient(c, l2) : WideGradient(c, l2);
}

RAMET_OP("MatrixSolveLs")
    .Input("matrix: T")
    .Input("rhs: T")
    .Input("l2_regularizer: double")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Attr("fast: bool = true")
    .HostMemory({"l2_regularizer"})
    .Doc(
        "Returns matrices x [..., n, k] for which matrix [..., m, n] * x is closest to rhs [..., "
        "m, k] in the least-squares sense. With `fast`, l2_regularizer times the squares of x is "
        "added to the error, and the normal equations are solved. Otherwise l2_regularizer is not "
        "used, the matrices may have any rank, and x is the smallest solution. Error: the ranks, "
        "the leading dimensions or the numbers of rows differ; l2_regularizer is not a scalar >= "
        "0; with `fast`, a matrix is rank deficient.")
    .Shape(LeastSquaresShape)
    .Gradient(LeastSquaresGradient)
    .CpuKernelClasses<LeastSquaresKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
