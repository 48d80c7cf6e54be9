#include "ramet/linalg/spectral.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

template <class T>
Status SelfAdjointEig(KernelContext& c, bool compute_v) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * e, c.Allocate(0, x.dtype(), all.With({all.n})));
  RAMET_ASSIGN_OR_RETURN(Tensor * v, c.Allocate(1, x.dtype(), compute_v ? x.shape() : Shape{0}));
  MatrixRunner runner(SpectralWork(all.n, all.n));
  const auto eig = [n = all.n](const MatrixArgs& args) {
    *args.out<bool>(2) =
        linalg::Spectral<T>::SelfAdjointEig(n, args.in<T>(0), args.out<T>(0), args.out<T>(1));
  };
  for (int64_t i = 0; i < all.filled(); ++i) {
    bool ok = false;
    const MatrixResult values = MatrixResult::Of(e->mutable_data<T>() + i * all.n, all.n);
    MatrixResult vectors;
    if (compute_v) vectors = all.Result(v->mutable_data<T>(), i);
    if (!runner.Run({all.Operand(x.data<T>(), i)}, {values, vectors, MatrixResult::Of(&ok, 1)},
                    eig)) {
      break;
    }
    if (!ok) {
      return InvalidArgument(
          "Self-adjoint eigen decomposition was not successful. The input might not be valid.");
    }
  }
  return OkStatus();
}

template <class T>
class SelfAdjointEigKernel final : public Kernel {
 public:
  explicit SelfAdjointEigKernel(bool compute_v) : compute_v_(compute_v) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<SelfAdjointEigKernel>(node.attrs->GetOr("compute_v", true));
  }
  Status Compute(KernelContext& c) override { return SelfAdjointEig<T>(c, compute_v_); }

 private:
  const bool compute_v_;
};

Status SelfAdjointEigShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool compute_v, c.attr<bool>("compute_v"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, MakeSquare(c, 0));
  if (!compute_v) c.set_output(1, Shape{0});
  if (shape.unknown_rank()) return OkStatus();
  c.set_output(0, shape.Slice(0, shape.rank() - 1));
  if (compute_v) c.set_output(1, std::move(shape));
  return OkStatus();
}

// Returns 1 / (e[j] - e[i]), and 0 where they are equal.
Output InverseDifferences(GradientContext& c, const Output& e) {
  const Output columns = c.Add("ExpandDims", {e, Tensor(int32_t{-2})});
  const Output rows = c.Add("ExpandDims", {e, Tensor(int32_t{-1})});
  const Output difference = columns - rows;
  const Output square = c.Add("Square", {difference});
  const Output inverse = difference * c.Add("Reciprocal", {square + 1e-20});
  return c.Add("MatrixSetDiag", {inverse, ZerosLike(c, e)});
}

// Returns the gradient of the lower triangle, the only part of the input that the op reads.
Output LowerPart(GradientContext& c, const Output& x) {
  return HalfDiagonal(c, LowerTriangle(c, x + Adjoint(c, x)));
}

Status SelfAdjointEigGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool compute_v, c.attr<bool>("compute_v"));
  const Output by_e = c.Add("MatrixDiag", {c.grad(0)});
  if (!compute_v) {
    const Operation full = c.AddOperation("SelfAdjointEigV2", {c.input(0)}, {{"compute_v", true}});
    if (!full.valid()) return c.Return({Gradient()});
    const Output v = full.output(1);
    return c.Return({LowerPart(c, MatMul(c, v, MatMul(c, by_e, v, false, true)))});
  }
  const Output e = c.output(0), v = c.output(1);
  const Output inner = by_e + InverseDifferences(c, e) * MatMul(c, v, c.grad(1), true);
  return c.Return({LowerPart(c, MatMul(c, v, MatMul(c, inner, v, false, true)))});
}

RAMET_OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns the eigenvalues e in ascending order and, with compute_v, the eigenvectors (the "
        "columns of v) of the Hermitian matrices along the last two dimensions. Only the lower "
        "triangle of each matrix is read. Without compute_v, v is empty. Error: the matrices are "
        "not square; the decomposition fails.")
    .Shape(SelfAdjointEigShape)
    .Gradient(SelfAdjointEigGradient)
    .CpuKernelClasses<SelfAdjointEigKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
