#include "ramet/linalg/matrix_sqrt.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

template <class T>
Status SquareRoot(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  MatrixRunner runner(SpectralWork(all.n, all.n));
  const auto root = [n = all.n](const MatrixArgs& args) {
    linalg::MatrixSqrt(n, args.in<T>(0), args.out<T>(0));
  };
  for (int64_t i = 0; i < all.filled(); ++i) {
    const MatrixResult result = all.Result(y->mutable_data<T>(), i);
    if (!runner.Run({all.Operand(x.data<T>(), i)}, {result}, root)) break;
  }
  return OkStatus();
}

Output Transposed(GradientContext& c, const Output& x) { return Conj(c, Adjoint(c, x)); }

// Computes Kronecker products of stacks of matrices [..., n, n]; the results are [..., n * n, n *
// n].
class Kronecker {
 public:
  Kronecker(GradientContext& c, const Output& shape) : c_(c) {
    n_ = SliceOf(c, shape, -1, 0);
    batch_ = SliceOf(c, shape, 0, -2);
    const Output one = Int32Vector(c, std::vector<int64_t>{1});
    left_ = ConcatVectors(c, {batch_, n_, one, n_, one});
    right_ = ConcatVectors(c, {batch_, one, n_, one, n_});
    square_ = n_ * n_;
    whole_ = ConcatVectors(c, {batch_, square_, square_});
    column_ = ConcatVectors(c, {batch_, square_, one});
  }
  Output Product(const Output& a, const Output& b) const {
    return Reshape(c_, Reshape(c_, a, left_) * Reshape(c_, b, right_), whole_);
  }
  // Returns a matrix as a column [..., n * n, 1].
  Output Column(const Output& x) const { return Reshape(c_, x, column_); }

 private:
  GradientContext& c_;
  Output n_, batch_, left_, right_, square_, whole_, column_;
};

// Y * Y = X, so Y^T * G + G * Y^T is the gradient of Y if G is the gradient of X. These are linear
// equations for G.
Status SquareRootGradient(GradientContext& c) {
  const Output y = c.output(), shape = ShapeOf(c, y);
  const Output ones = OnesLike(c, c.Add("MatrixDiagPart", {y}));
  const Output identity = c.Add("MatrixDiag", {ones});
  const Kronecker kronecker(c, shape);
  const Output sum = kronecker.Product(identity, Transposed(c, y)) + kronecker.Product(y, identity);
  const Output solved = c.Add("MatrixSolve", {sum, kronecker.Column(Transposed(c, c.grad()))});
  return c.Return({Transposed(c, Reshape(c, solved, shape))});
}

RAMET_OP("MatrixSquareRoot")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns matrices whose squares are the square matrices along the last two dimensions. The "
        "result is NaN if a real matrix has no real square root. The output has the shape of the "
        "input. Error: the matrices are not square.")
    .Shape(SquareShape)
    .Gradient(SquareRootGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) { return SquareRoot<T>(c); });

}  // namespace
}  // namespace ramet
