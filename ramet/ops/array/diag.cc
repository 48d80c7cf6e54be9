#include "ramet/op/op.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"

namespace ramet {
namespace {

Status Diag(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) return InvalidArgument("Input must be at least rank 1, got 0");
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(x.shape().Concatenate(x.shape()).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  const int64_t n = x.num_elements(), dims[] = {n}, from[] = {1}, to[] = {n + 1};
  return MoveStrided(x, 0, from, *y, 0, to, dims);
}

Status DiagShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  c.set_output(0, x.Concatenate(x));
  return OkStatus();
}

Status CheckSquare(const Shape& x) {
  const int half = x.rank() / 2;
  if (x.rank() == 0 || x.rank() % 2 != 0) {
    return InvalidArgument("The rank of the tensor should be even and positive, got shape ", x);
  }
  if (x.Slice(0, half).IsCompatibleWith(x.Slice(half, x.rank()))) return OkStatus();
  return InvalidArgument("Invalid shape ", x, ": dimensions i and i + ", half, " do not match.");
}

Status DiagPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckSquare(x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), x.shape().Slice(0, x.rank() / 2)));
  const int64_t n = y->num_elements(), dims[] = {n}, from[] = {n + 1}, to[] = {1};
  return MoveStrided(x, 0, from, *y, 0, to, dims);
}

Status DiagPartShape(ShapeContext& c) {
  const Shape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  RAMET_RETURN_IF_ERROR(CheckSquare(x));
  const int half = x.rank() / 2;
  RAMET_ASSIGN_OR_RETURN(Shape merged, x.Slice(0, half).MergeWith(x.Slice(half, x.rank())));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

template <const char* opposite>
Status OppositeGradient(GradientContext& c) {
  return c.Return({c.Add(opposite, {c.grad()})});
}
constexpr char kDiag[] = "Diag", kDiagPart[] = "DiagPart", kMatrixDiagPart[] = "MatrixDiagPart";

Status MatrixDiag(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1)
    return InvalidArgument("input must be at least 1-dim, received shape: ", x.shape());
  const int64_t n = x.dim(x.rank() - 1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(x.shape().Concatenate(Shape{n}).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  const int64_t dims[] = {Product(x.shape(), 0, x.rank() - 1), n};
  const int64_t from[] = {n, 1}, to[] = {n * n, n + 1};
  return MoveStrided(x, 0, from, *y, 0, to, dims);
}

Status MatrixDiagShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  if (!x.unknown_rank()) c.set_output(0, x.Concatenate(Shape{x.dim(x.rank() - 1)}));
  return OkStatus();
}

// A batch of matrices [batch, rows, columns].
struct Matrices {
  int64_t batch, rows, columns;
  int64_t diagonal() const { return std::min(rows, columns); }

  static StatusOr<Matrices> Of(const Shape& shape) {
    if (shape.rank() < 2) {
      return InvalidArgument("input must be at least 2-dim, received shape: ", shape);
    }
    const int r = shape.rank();
    return Matrices{Product(shape, 0, r - 2), shape.dim(r - 2), shape.dim(r - 1)};
  }
};

// Returns the shape of the diagonals of matrices of shape `x`; dimensions may be unknown.
Shape DiagonalShape(const Shape& x) {
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  const bool known = rows >= 0 && columns >= 0;
  return x.Slice(0, x.rank() - 2)
      .Concatenate(Shape{known ? std::min(rows, columns) : Shape::kUnknownDim});
}

Status MatrixDiagPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices m, Matrices::Of(x.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, x.dtype(), DiagonalShape(x.shape())));
  const int64_t dims[] = {m.batch, m.diagonal()}, to[] = {m.diagonal(), 1};
  const int64_t from[] = {m.rows * m.columns, m.columns + 1};
  return MoveStrided(x, 0, from, *y, 0, to, dims);
}

Status MatrixDiagPartShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  if (!x.unknown_rank()) c.set_output(0, DiagonalShape(x));
  return OkStatus();
}

Status MatrixDiagPartGradient(GradientContext& c) {
  const Shape x = c.input(0).shape();
  const int r = x.rank();
  if (r >= 2 && x.dim(r - 1) >= 0 && x.dim(r - 1) == x.dim(r - 2)) {
    return c.Return({c.Add("MatrixDiag", {c.grad()})});
  }
  const Output zeros = c.Add("ZerosLike", {c.input(0)}, {}, "zeros_like");
  return c.Return({c.Add("MatrixSetDiag", {zeros, c.grad()})});
}

Status MatrixSetDiag(KernelContext& c) {
  const Tensor &x = c.input(0), &diagonal = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Matrices m, Matrices::Of(x.shape()));
  const Shape expected = DiagonalShape(x.shape());
  if (!(diagonal.shape() == expected)) {
    return InvalidArgument(
        "must have diagonal.shape == input.shape[:-2] + min(input.shape[-2:]) = ", expected,
        ", but received input shape: ", x.shape(), " and diagonal shape: ", diagonal.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->raw_data() != x.raw_data()) CopyElements(x, 0, *y, 0, x.num_elements());
  const int64_t dims[] = {m.batch, m.diagonal()}, from[] = {m.diagonal(), 1};
  const int64_t to[] = {m.rows * m.columns, m.columns + 1};
  return MoveStrided(diagonal, 0, from, *y, 0, to, dims);
}

Status MatrixSetDiagShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 2));
  if (!x.unknown_rank()) {
    RAMET_RETURN_IF_ERROR(DiagonalShape(x).MergeWith(c.input(1)).status());
  }
  RAMET_ASSIGN_OR_RETURN(const Shape diagonal, c.WithRankAtLeast(1, 1));
  if (!diagonal.unknown_rank()) {
    const Shape batch = diagonal.Slice(0, diagonal.rank() - 1);
    RAMET_ASSIGN_OR_RETURN(x, x.MergeWith(batch.Concatenate(Shape::OfRank(2))));
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status MatrixSetDiagGradient(GradientContext& c) {
  const Output zeros = c.Add("ZerosLike", {c.input(1)}, {}, "zeros_like");
  return c.Return({c.Add("MatrixSetDiag", {c.grad(), zeros}), c.Add("MatrixDiagPart", {c.grad()})});
}

// Sets y[b, i, j] to x[b, i, j] where -lower <= j - i <= upper, and to zero elsewhere.
template <class U>
void Band(const Matrices& m, int64_t lower, int64_t upper, const U* x, U* y) {
  for (int64_t row = 0; row < m.batch * m.rows; ++row) {
    const int64_t i = row % m.rows;
    const int64_t begin = std::clamp<int64_t>(i - lower, 0, m.columns);
    const int64_t end = std::clamp<int64_t>(i + upper + 1, begin, m.columns);
    const U* from = x + row * m.columns;
    U* to = y + row * m.columns;
    std::fill(to, to + begin, U());
    if (to != from) std::copy(from + begin, from + end, to + begin);
    std::fill(to + end, to + m.columns, U());
  }
}

StatusOr<int64_t> BandWidth(const Tensor& t, int64_t limit, std::string_view name) {
  if (t.rank() != 0) return InvalidArgument(name, " must be scalar, got shape ", t.shape());
  const int64_t width = IntegerAt(t, 0);
  if (width > limit) {
    return InvalidArgument(name, " must be negative or less or equal to number of ",
                           name == "num_lower" ? "rows (" : "columns (", limit, ") got: ", width);
  }
  return width < 0 ? limit : width;
}

Status MatrixBandPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Matrices m, Matrices::Of(x.shape()));
  RAMET_ASSIGN_OR_RETURN(int64_t lower, BandWidth(c.input(1), m.rows, "num_lower"));
  RAMET_ASSIGN_OR_RETURN(int64_t upper, BandWidth(c.input(2), m.columns, "num_upper"));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->num_elements() == 0) return OkStatus();
  DispatchElement(x.dtype(), [&]<class U>() {
    Band(m, lower, upper, static_cast<const U*>(x.raw_data()), static_cast<U*>(y->raw_data()));
  });
  return OkStatus();
}

Status MatrixBandPartGradient(GradientContext& c) {
  return c.Return(
      {c.Add("MatrixBandPart", {c.grad(), c.input(1), c.input(2)}), Gradient(), Gradient()});
}

}  // namespace

RAMET_OP("Diag")
    .Foldable()
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Doc(
        "Returns a tensor of shape [D..., D...] for `diagonal` of shape [D...]. It holds the "
        "elements of `diagonal` where both halves of the index are equal, and zeros elsewhere. "
        "Error: `diagonal` is a scalar.")
    .Shape(DiagShape)
    .Gradient(OppositeGradient<kDiagPart>)
    .CpuKernel(Diag);

RAMET_OP("DiagPart")
    .Foldable()
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Doc(
        "Returns the elements of `input`, of shape [D..., D...], where both halves of the index "
        "are equal. The result has the shape [D...]. Error: the rank of `input` is zero or odd; "
        "the two halves of its shape differ.")
    .Shape(DiagPartShape)
    .Gradient(OppositeGradient<kDiag>)
    .CpuKernel(DiagPart);

RAMET_OP("MatrixDiag")
    .Foldable()
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc(
        "Returns square matrices [..., n, n] with the diagonals `diagonal`, [..., n], and zeros "
        "elsewhere. Error: `diagonal` is a scalar.")
    .Shape(MatrixDiagShape)
    .Gradient(OppositeGradient<kMatrixDiagPart>)
    .CpuKernel(MatrixDiag);

RAMET_OP("MatrixDiagPart")
    .Foldable()
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Doc(
        "Returns the main diagonals, [..., min(m, n)], of the matrices `input`, [..., m, n]. "
        "Error: the rank of `input` is less than 2.")
    .Shape(MatrixDiagPartShape)
    .Gradient(MatrixDiagPartGradient)
    .CpuKernel(MatrixDiagPart);

RAMET_OP("MatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc(
        "Returns the matrices `input`, [..., m, n], with their main diagonals replaced by "
        "`diagonal`, [..., min(m, n)]. Error: the rank of `input` is less than 2; `diagonal` does "
        "not have that shape.")
    .Shape(MatrixSetDiagShape)
    .Gradient(MatrixSetDiagGradient)
    .CpuKernel(MatrixSetDiag);

RAMET_OP("MatrixBandPart")
    .Foldable()
    .Input("input: T")
    .Input("num_lower: Tindex")
    .Input("num_upper: Tindex")
    .Output("band: T")
    .Attr("T: type")
    .Attr("Tindex: {int32, int64} = DT_INT64")
    .Doc(
        "Returns the matrices `input`, [..., m, n], with zeros outside a band. Element (i, j) is "
        "kept if i - j <= num_lower and j - i <= num_upper, both scalars; a negative number keeps "
        "all elements on that side. Error: num_lower > m or num_upper > n; the rank of `input` is "
        "less than 2.")
    .HostMemory({"num_lower", "num_upper"})
    .Shape(UnchangedShape)
    .Gradient(MatrixBandPartGradient)
    .CpuKernel(MatrixBandPart);

}  // namespace ramet
