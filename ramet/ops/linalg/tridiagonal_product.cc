#include <array>

#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/linalg/shifted.h"
#include "ramet/ops/math/gradient_util.h"

// TridiagonalMatMul: products with matrices that have three diagonals.

namespace ramet {
namespace {

Status CheckDiagonals(const std::array<Matrices, 4>& all) {
  for (int i = 0; i < 4; ++i) {
    if (all[i].batch != all[0].batch) {
      return InvalidArgument("All input tensors must have the same outer dimensions.");
    }
  }
  constexpr std::array<const char*, 3> kNames = {"superdiagonal", "main diagonal", "subdiagonal"};
  for (int i = 0; i < 3; ++i) {
    if (all[i].m == 1 && all[i].n == all[3].m) continue;
    return InvalidArgument("Invalid ", kNames[i], " shape.");
  }
  return OkStatus();
}

template <class T>
Status TridiagonalProduct(KernelContext& c) {
  std::array<Matrices, 4> all;
  for (int i = 0; i < 4; ++i) {
    RAMET_ASSIGN_OR_RETURN(all[i], Matrices::Of(c.input(i), i));
    if (c.input(i).rank() != c.input(0).rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
  }
  RAMET_RETURN_IF_ERROR(CheckDiagonals(all));
  const Tensor& rhs = c.input(3);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, rhs.dtype(), rhs.shape()));
  if (y->num_elements() == 0) return OkStatus();
  const int64_t m = all[3].m, k = all[3].n;
  const T *above = c.input(0).data<T>(), *main = c.input(1).data<T>(),
          *below = c.input(2).data<T>(), *x = rhs.data<T>();
  T* out = y->mutable_data<T>();
  for (int64_t row = 0; row < all[3].count * m; ++row) {
    const int64_t i = row % m;
    for (int64_t j = 0; j < k; ++j, ++x) {
      T sum = main[row] * *x;
      if (i + 1 < m) sum += above[row] * x[k];
      if (i > 0) sum += below[row] * x[-k];
      *out++ = sum;
    }
  }
  return OkStatus();
}

// Multiplies by the transposed matrix: the diagonals are conjugated columns here.
Output TransposedProduct(GradientContext& c, const Output& grad) {
  const auto column = [&](int i) { return Adjoint(c, c.input(i)); };
  const Output by_above = Shifted(c, column(0) * grad, 2, -1);
  const Output by_main = column(1) * grad;
  return by_above + by_main + Shifted(c, column(2) * grad, 2, 1);
}

Status TridiagonalProductGradient(GradientContext& c) {
  const Output grad = c.grad();
  const Output rhs = Conj(c, c.input(3));
  const auto diagonal = [&](const Output& x) {
    const Output sum = c.Add("Sum", {x * grad, Tensor(int32_t{-1})});
    return c.Add("ExpandDims", {sum, Tensor(int32_t{-2})});
  };
  const Output above = diagonal(Shifted(c, rhs, 2, 1)), main = diagonal(rhs),
               below = diagonal(Shifted(c, rhs, 2, -1));
  return c.Return({above, main, below, TransposedProduct(c, grad)});
}

Status TridiagonalProductShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape rhs, c.WithRankAtLeast(3, 2));
  for (int i = 0; i < 3; ++i) {
    RAMET_ASSIGN_OR_RETURN(const Shape diagonal, c.WithRankAtLeast(i, 2));
    if (diagonal.unknown_rank() || rhs.unknown_rank()) continue;
    const int r = diagonal.rank();
    RAMET_RETURN_IF_ERROR(
        diagonal.Slice(0, r - 2).MergeWith(rhs.Slice(0, rhs.rank() - 2)).status());
    RAMET_RETURN_IF_ERROR(diagonal.Slice(r - 2, r - 1).MergeWith(Shape{1}).status());
  }
  c.set_output(0, std::move(rhs));
  return OkStatus();
}

RAMET_OP("TridiagonalMatMul")
    .Input("superdiag: T")
    .Input("maindiag: T")
    .Input("subdiag: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("T: {double, float, complex64, complex128}")
    .Doc(
        "Returns A * rhs, [..., m, k], for matrices A with three diagonals, [..., 1, m] each: the "
        "one above the main one (its last element is not read), the main one, and the one below "
        "it (its first element is not read). Error: the shapes do not fit together.")
    .Shape(TridiagonalProductShape)
    .Gradient(TridiagonalProductGradient)
    .CpuKernels<RAMET_LINALG_TYPES>([]<class T>(KernelContext& c) {
      return TridiagonalProduct<T>(c);
    });

}  // namespace
}  // namespace ramet
