#include <cmath>

#include "ramet/linalg/factor.h"
#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/math/gradient_util.h"

// Determinants and LU factors.

namespace ramet {
namespace {

using linalg::Factor;

constexpr int64_t kMaxEmptyMatrices = int64_t{1} << 24;

// Returns the matrices of `x`. Empty matrices have determinants too, and the memory of the input
// does not bound their number, so it has a limit.
// \error kResourceExhausted: there are more than kMaxEmptyMatrices empty matrices.
StatusOr<Matrices> MatricesWithDeterminants(const Tensor& x) {
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  if (x.num_elements() > 0 || all.count <= kMaxEmptyMatrices) return all;
  return ResourceExhausted("a tensor of shape ", x.shape(), " has more than ", kMaxEmptyMatrices,
                           " matrices without elements");
}

// Computes the determinant of matrix i of `data`. Returns false if the run must stop.
template <class T>
bool LogDeterminantOf(MatrixRunner& runner, const Matrices& all, const T* data, int64_t i, T* sign,
                      T* log) {
  const auto compute = [n = all.n](const MatrixArgs& args) {
    Factor<T>::LogDeterminant(n, args.in<T>(0), args.out<T>(0), args.out<T>(1));
  };
  return runner.Run({all.Operand(data, i)}, {MatrixResult::Of(sign, 1), MatrixResult::Of(log, 1)},
                    compute);
}

template <class T>
Status LogDeterminant(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, MatricesWithDeterminants(x));
  RAMET_ASSIGN_OR_RETURN(Tensor * sign, c.Allocate(0, x.dtype(), all.batch));
  RAMET_ASSIGN_OR_RETURN(Tensor * log, c.Allocate(1, x.dtype(), all.batch));
  MatrixRunner runner(FactorWork(all.n));
  for (int64_t i = 0; i < all.count; ++i) {
    T* const sign_i = sign->mutable_data<T>() + i;
    T* const log_i = log->mutable_data<T>() + i;
    if (!LogDeterminantOf(runner, all, x.data<T>(), i, sign_i, log_i)) break;
  }
  return OkStatus();
}

template <class T>
Status Determinant(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices all, MatricesWithDeterminants(x));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), all.batch));
  MatrixRunner runner(FactorWork(all.n));
  for (int64_t i = 0; i < all.count; ++i) {
    T sign, log;
    if (!LogDeterminantOf(runner, all, x.data<T>(), i, &sign, &log)) break;
    y->mutable_data<T>()[i] = sign * std::exp(log);
  }
  return OkStatus();
}

template <class T>
Status Lu(KernelContext& c, DType index) {
  const Tensor& x = c.input(0);
  if (x.rank() < 2) return InvalidArgument("Input tensor must have rank >= 2, got ", x.rank());
  RAMET_ASSIGN_OR_RETURN(Matrices all, Matrices::SquareOf(x, 0));
  RAMET_ASSIGN_OR_RETURN(Tensor * lu, c.Allocate(0, x.dtype(), x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * p, c.Allocate(1, index, all.With({all.n})));
  std::vector<int64_t> order(all.filled() > 0 ? all.n : 0);
  MatrixRunner runner(FactorWork(all.n));
  const auto factor = [n = all.n](const MatrixArgs& args) {
    *args.out<bool>(2) = Factor<T>::Lu(n, args.in<T>(0), args.out<T>(0), args.out<int64_t>(1));
  };
  for (int64_t i = 0; i < all.filled(); ++i) {
    bool ok = false;
    if (!runner.Run({all.Operand(x.data<T>(), i)},
                    {all.Result(lu->mutable_data<T>(), i), MatrixResult::Of(order.data(), all.n),
                     MatrixResult::Of(&ok, 1)},
                    factor)) {
      break;
    }
    if (!ok) return NotInvertible();
    for (int64_t k = 0; k < all.n; ++k) {
      if (index == kInt32) {
        p->mutable_data<int32_t>()[i * all.n + k] = static_cast<int32_t>(order[k]);
      } else {
        p->mutable_data<int64_t>()[i * all.n + k] = order[k];
      }
    }
  }
  return OkStatus();
}

template <class T>
class LuKernel final : public Kernel {
 public:
  explicit LuKernel(DType index) : index_(index) {}
  static std::unique_ptr<Kernel> Make(const KernelNode& node) {
    return std::make_unique<LuKernel>(node.output_types[1]);
  }
  Status Compute(KernelContext& c) override { return Lu<T>(c, index_); }

 private:
  const DType index_;
};

Status BatchShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, MakeSquare(c, 0));
  if (shape.unknown_rank()) return OkStatus();
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape.Slice(0, shape.rank() - 2));
  return OkStatus();
}

Status LuShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, MakeSquare(c, 0));
  if (shape.unknown_rank()) return OkStatus();
  c.set_output(1, shape.Slice(0, shape.rank() - 1));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Output AdjointInverse(GradientContext& c) {
  return c.Add("MatrixInverse", {c.input(0)}, {{"adjoint", true}});
}

Status DeterminantGradient(GradientContext& c) {
  const Output grad = c.grad();
  const Output inverse = AdjointInverse(c);
  return c.Return({AsMatrices(c, grad * c.output()) * inverse});
}

Status LogDeterminantGradient(GradientContext& c) {
  const Output grad = c.grad(1);
  const Output inverse = AdjointInverse(c);
  return c.Return({AsMatrices(c, grad) * inverse});
}

constexpr char kAttrTypes[] = "T: {half, float, double, complex64, complex128}";

RAMET_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr(kAttrTypes)
    .Doc(
        "Returns the determinants of the square matrices along the last two dimensions; the output "
        "has only the dimensions before them. The determinant of an empty matrix is 1. Error: the "
        "matrices are not square; there are more than 2^24 empty matrices (kResourceExhausted).")
    .Shape(BatchShape)
    .Gradient(DeterminantGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) { return Determinant<T>(c); });

RAMET_OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr(kAttrTypes)
    .Doc(
        "Returns the determinants of the square matrices along the last two dimensions as signs "
        "(numbers of absolute value 1, or 0) and logarithms of their absolute values. The outputs "
        "have only the dimensions before the last two. Error: the matrices are not square; there "
        "are more than 2^24 empty matrices (kResourceExhausted).")
    .Shape(BatchShape)
    .Gradient(LogDeterminantGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) { return LogDeterminant<T>(c); });

RAMET_OP("Lu")
    .Input("input: T")
    .Output("lu: T")
    .Output("p: output_idx_type")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Attr("output_idx_type: {int32, int64} = int32")
    .Doc(
        "Returns the LU factors of each square matrix along the last two dimensions. The output lu "
        "holds U on and above the diagonal and L, which has ones on its diagonal, below it. Row i "
        "of L * U is row p[i] of the matrix. Error: the matrices are not square; one is singular.")
    .Shape(LuShape)
    .CpuKernelClasses<LuKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
