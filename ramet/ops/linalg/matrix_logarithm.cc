#include "ramet/linalg/matrix_log.h"
#include "ramet/ops/linalg/matrices.h"

namespace ramet {
namespace {

RAMET_OP("MatrixLogarithm")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128}")
    .Doc(
        "Returns the principal logarithms of the square matrices along the last two dimensions, "
        "whose exponentials are the matrices. The result is NaN if a matrix is singular or not "
        "finite. The output has the shape of the input. Error: the matrices are not square.")
    .Shape(SquareShape)
    .CpuKernels<std::complex<float>, std::complex<double>>([]<class T>(KernelContext& c) -> Status {
      const Tensor& x = c.input(0);
      RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
      RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape()));
      MatrixRunner runner(SpectralWork(all.n, all.n));
      const auto log = [n = all.n](const MatrixArgs& args) {
        linalg::MatrixLog(n, args.in<T>(0), args.out<T>(0));
      };
      for (int64_t i = 0; i < all.filled(); ++i) {
        const MatrixResult result = all.Result(y->mutable_data<T>(), i);
        if (!runner.Run({all.Operand(x.data<T>(), i)}, {result}, log)) break;
      }
      return OkStatus();
    });

}  // namespace
}  // namespace ramet
