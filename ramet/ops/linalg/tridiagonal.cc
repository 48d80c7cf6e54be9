#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ramet/ops/linalg/matrices.h"
#include "ramet/ops/linalg/shifted.h"
#include "ramet/ops/math/gradient_util.h"

// TridiagonalSolve: linear equations whose matrix has three diagonals.

namespace ramet {
namespace {

// One matrix as [3, m] diagonals (above, main, below; above[m - 1] and below[0] are not read) and
// one right-hand side [m, k].
template <class T>
struct Equations {
  int64_t m, k;
  const T* diagonals;
  const T* rhs;
  T* x;

  T above(int64_t i) const { return diagonals[i]; }
  T main(int64_t i) const { return diagonals[m + i]; }
  T below(int64_t i) const { return diagonals[2 * m + i]; }
};

template <class T>
void FillNan(const Equations<T>& e) {
  const T nan(std::numeric_limits<decltype(std::abs(T()))>::quiet_NaN());
  std::fill_n(e.x, e.m * e.k, nan);
}

// Computes x[row] = (x[row] - sum of u[j] * x[row + j]) / u[0], from the last row to the first.
template <class T>
void SubstituteBack(const Equations<T>& e, const std::vector<std::array<T, 3>>& u) {
  for (int64_t i = e.m - 1; i >= 0; --i) {
    for (int64_t j = 0; j < e.k; ++j) {
      T value = e.x[i * e.k + j];
      if (i + 1 < e.m) value -= u[i][1] * e.x[(i + 1) * e.k + j];
      if (i + 2 < e.m) value -= u[i][2] * e.x[(i + 2) * e.k + j];
      e.x[i * e.k + j] = value / u[i][0];
    }
  }
}

struct Pivoting {
  bool swap;     // rows, if the next one has the larger pivot
  bool perturb;  // pivots that are 0
};

template <class T>
using Real = decltype(std::abs(T()));

// Returns the replacement for a pivot of 0 if the largest element of the rows so far is `largest`.
template <class T>
T SmallPivot(Real<T> largest) {
  using Limits = std::numeric_limits<Real<T>>;
  return T(std::max(Limits::epsilon() * largest, Limits::min()));
}

// Runs Gaussian elimination. `u` receives the rows of the upper triangle, three elements each. The
// result is NaN if a pivot is 0, unless pivots are perturbed.
template <class T>
void Eliminate(const Equations<T>& e, Pivoting pivoting, std::vector<std::array<T, 3>>& u) {
  const int64_t last = e.m - 1;
  std::copy_n(e.rhs, e.m * e.k, e.x);
  u[0] = {e.main(0), e.above(0), T(0)};
  Real<T> largest = 0;
  for (int64_t i = 0; i <= last; ++i) {
    std::array<T, 3> next = {};
    if (i < last) {
      next = {e.below(i + 1), e.main(i + 1), i + 1 < last ? e.above(i + 1) : T(0)};
      if (pivoting.swap && std::abs(u[i][0]) < std::abs(next[0])) {
        std::swap(u[i], next);
        std::swap_ranges(e.x + i * e.k, e.x + (i + 1) * e.k, e.x + (i + 1) * e.k);
      }
    }
    if (u[i][0] == T(0) && !pivoting.perturb) return FillNan(e);
    if (u[i][0] == T(0)) u[i][0] = SmallPivot<T>(largest);
    for (const T& v : u[i]) largest = std::max(largest, std::abs(v));
    if (i == last) break;
    const T factor = next[0] / u[i][0];
    u[i + 1] = {next[1] - factor * u[i][1], next[2] - factor * u[i][2], T(0)};
    for (int64_t j = 0; j < e.k; ++j) e.x[(i + 1) * e.k + j] -= factor * e.x[i * e.k + j];
  }
  SubstituteBack(e, u);
}

Status CheckInputs(const Matrices& d, const Matrices& b) {
  if (d.batch != b.batch) {
    return InvalidArgument("All input tensors must have the same outer dimensions.");
  }
  if (d.m != 3) {
    return InvalidArgument("Expected diagonals to be provided as a matrix with 3 rows, got ", d.m,
                           " rows.");
  }
  if (d.n == b.m) return OkStatus();
  return InvalidArgument("Expected the same number of left-hand sides and right-hand sides, got ",
                         d.n, " and ", b.m, ".");
}

template <class T>
class TridiagonalSolveKernel final : public Kernel {
 public:
  explicit TridiagonalSolveKernel(Pivoting pivoting) : pivoting_(pivoting) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const Pivoting pivoting = {node.attrs->GetOr("partial_pivoting", true),
                               node.attrs->GetOr("perturb_singular", false)};
    if (pivoting.perturb && !pivoting.swap) {
      return InvalidArgument("Setting perturb_singular requires also setting partial_pivoting.");
    }
    return std::unique_ptr<Kernel>(std::make_unique<TridiagonalSolveKernel>(pivoting));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &diagonals = c.input(0), &rhs = c.input(1);
    RAMET_ASSIGN_OR_RETURN(Matrices d, Matrices::Of(diagonals, 0));
    if (diagonals.rank() != rhs.rank()) {
      return InvalidArgument("All input tensors must have the same rank.");
    }
    RAMET_ASSIGN_OR_RETURN(Matrices b, Matrices::Of(rhs, 1));
    RAMET_RETURN_IF_ERROR(CheckInputs(d, b));
    RAMET_ASSIGN_OR_RETURN(Tensor * x, c.Allocate(0, rhs.dtype(), rhs.shape()));
    if (x->num_elements() == 0) return OkStatus();
    std::vector<std::array<T, 3>> u(d.n);
    for (int64_t i = 0; i < d.count; ++i) {
      Eliminate<T>({d.n, b.n, diagonals.data<T>() + i * d.size(), rhs.data<T>() + i * b.size(),
                    x->mutable_data<T>() + i * b.size()},
                   pivoting_, u);
    }
    return OkStatus();
  }

 private:
  const Pivoting pivoting_;
};

Status TridiagonalSolveShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape d, c.WithRankAtLeast(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape b, c.WithRankAtLeast(1, 2));
  if (d.unknown_rank() || b.unknown_rank()) {
    c.set_output(0, std::move(b));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Shape batch, d.Slice(0, d.rank() - 2).MergeWith(b.Slice(0, b.rank() - 2)));
  RAMET_RETURN_IF_ERROR(Shape{3}.MergeWith(d.Slice(d.rank() - 2, d.rank() - 1)).status());
  RAMET_ASSIGN_OR_RETURN(
      Shape rows, d.Slice(d.rank() - 1, d.rank()).MergeWith(b.Slice(b.rank() - 2, b.rank() - 1)));
  c.set_output(0, batch.Concatenate(rows).Concatenate(b.Slice(b.rank() - 1, b.rank())));
  return OkStatus();
}

// Returns row i along the second to last dimension.
Output Row(GradientContext& c, const Output& x, int64_t i) {
  return c.Add("GatherV2", {x, Tensor(static_cast<int32_t>(i)), Tensor(int32_t{-2})});
}

Output RowSum(GradientContext& c, const Output& x) {
  return c.Add("Sum", {x, Tensor(int32_t{-1})});
}

Status TridiagonalSolveGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(bool pivoting, c.attr<bool>("partial_pivoting"));
  const Output diagonals = c.input(0), x = c.output();
  const auto rows = [&](const Output& above, const Output& main, const Output& below) {
    return c.Add("Pack", {above, main, below}, {{"N", 3}, {"axis", -2}});
  };
  const Output transposed = rows(Shifted(c, Row(c, diagonals, 2), 1, 1), Row(c, diagonals, 1),
                                 Shifted(c, Row(c, diagonals, 0), 1, -1));
  const Output rhs_grad =
      c.Add("TridiagonalSolve", {transposed, c.grad()}, {{"partial_pivoting", pivoting}});
  const Output by_diagonals =
      rows(RowSum(c, rhs_grad * Shifted(c, x, 2, 1)), RowSum(c, rhs_grad * x),
           RowSum(c, rhs_grad * Shifted(c, x, 2, -1)));
  return c.Return({-by_diagonals, rhs_grad});
}

RAMET_OP("TridiagonalSolve")
    .Input("diagonals: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("partial_pivoting: bool = true")
    .Attr("perturb_singular: bool = false")
    .Attr("T: {double, float, complex64, complex128}")
    .Doc(
        "Solves A * output = rhs, [..., m, k], for matrices A with three diagonals. `diagonals` is "
        "[..., 3, m] and holds the diagonal above the main one (its last element is not read), the "
        "main one, and the one below it (its first element is not read). With partial_pivoting, "
        "rows are swapped to use the larger pivot. If A is singular, the result is NaN, or large "
        "numbers with perturb_singular. Error: the shapes do not fit together; perturb_singular is "
        "used without partial_pivoting.")
    .Shape(TridiagonalSolveShape)
    .Gradient(TridiagonalSolveGradient)
    .CpuKernelClasses<TridiagonalSolveKernel, RAMET_LINALG_TYPES>();

}  // namespace
}  // namespace ramet
