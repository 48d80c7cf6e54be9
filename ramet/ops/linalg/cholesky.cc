#include <algorithm>
#include <limits>

#include "ramet/linalg/factor.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

using linalg::Factor;

// A matrix that is not positive definite has NaN for its factor.
template <class T>
Status Cholesky(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
  for (int64_t i = 0; i < all.filled(); ++i) {
    T* l = y->mutable_data<T>() + i * all.size();
    if (Factor<T>::Cholesky(all.n, x.data<T>() + i * all.size(), l)) continue;
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
  for (int64_t i = 0; i < all.filled(); ++i) {
    const int64_t at = i * all.size();
    Factor<T>::CholeskyGrad(all.n, l.data<T>() + at, grad.data<T>() + at,
                            y->mutable_data<T>() + at);
  }
  return OkStatus();
}

// With P = the lower triangle of l^H * grad, its diagonal halved: l^-H * P * l^-1, made Hermitian.
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
        "Returns for each Hermitian positive definite matrix along the last two dimensions the "
        "lower triangle L with L * L^H = input; only the lower triangle is read, and NaN is the "
        "factor of a matrix that is not positive definite. Shape of the output: shape of the "
        "input. Error: the matrices are not square.")
    .Shape(SquareShape)
    .Gradient(CholeskyGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) { return Cholesky<T>(c); });

RAMET_OP("CholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Doc(
        "The gradient of Cholesky, of whose result l the gradient is grad. Error: the matrices are "
        "not square, or the shapes differ.")
    .Shape(SquareShape)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return CholeskyGradOf<T>(c); });

}  // namespace
}  // namespace ramet
