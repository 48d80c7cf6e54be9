#include <algorithm>
#include <limits>

#include "ramet/linalg/factor.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

using linalg::Factor;

// If a matrix is not positive definite, its factor is NaN.
template <class T>
Status Cholesky(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  MatrixRunner runner(FactorWork(all.n));
  const auto cholesky = [n = all.n](const MatrixArgs& args) {
    *args.out<bool>(1) = Factor<T>::Cholesky(n, args.in<T>(0), args.out<T>(0));
  };
  for (int64_t i = 0; i < all.filled(); ++i) {
    T* l = y->mutable_data<T>() + i * all.size();
    bool ok = false;
    if (!runner.Run({all.Operand(x.data<T>(), i)},
                    {MatrixResult::Of(l, all.size()), MatrixResult::Of(&ok, 1)}, cholesky)) {
      break;
    }
    if (ok) continue;
    for (int64_t row = 0; row < all.n; ++row) {
      std::fill_n(l + row * all.n, all.n, T(0));
      std::fill_n(l + row * all.n, row + 1, T(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return OkStatus();
}

template <class T>
Status CholeskyGradOf(KernelContext& c) {
  const Tensor &l = c.input(0), &grad = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(l, 0));
  RAMET_RETURN_IF_ERROR(Matrices::SquareOf(grad, 1).status());
  if (l.shape() != grad.shape()) {
    return InvalidArgument("Inputs must have the same shape, but have ", l.shape(), " and ",
                           grad.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, l.dtype(), l.shape()));
  MatrixRunner runner(FactorWork(all.n));
  const auto gradient = [n = all.n](const MatrixArgs& args) {
    Factor<T>::CholeskyGrad(n, args.in<T>(0), args.in<T>(1), args.out<T>(0));
  };
  for (int64_t i = 0; i < all.filled(); ++i) {
    if (!runner.Run({all.Operand(l.data<T>(), i), all.Operand(grad.data<T>(), i)},
                    {all.Result(y->mutable_data<T>(), i)}, gradient)) {
      break;
    }
  }
  return OkStatus();
}

// Returns l^-H * P * l^-1 made Hermitian, where P is the lower triangle of l^H * grad with half its
// diagonal.
Status CholeskyGradient(GradientContext& c) {
  const Output grad = c.grad(), l = c.output();
  const Output middle = LowerTriangle(c, HalfDiagonal(c, MatMul(c, l, grad, true)));
  const Output left = TriangularSolve(c, l, middle, true, true);
  const Output whole = TriangularSolve(c, l, Adjoint(c, left), true, true);
  const Output sum = whole + Adjoint(c, whole);
  return c.Return({sum * ScalarLike(c, l.dtype(), 0.5)});
}

RAMET_OP("Cholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Doc(
        "Returns the Cholesky factor of each Hermitian positive definite matrix along the last two "
        "dimensions: the lower triangular L with L * L^H = input. Only the lower triangle of the "
        "input is read. If a matrix is not positive definite, its factor is NaN. The output has "
        "the shape of the input. Error: the matrices are not square.")
    .Shape(SquareShape)
    .Gradient(CholeskyGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) { return Cholesky<T>(c); });

RAMET_OP("CholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Doc(
        "Returns the gradient of the input of Cholesky, where l is its result and grad the "
        "gradient of l. Error: the matrices are not square; the shapes differ.")
    .Shape(SquareShape)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return CholeskyGradOf<T>(c); });

}  // namespace
}  // namespace ramet
