#include "ramet/ops/linalg/matrices.h"

#include "ramet/ops/array/args.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {

StatusOr<Matrices> Matrices::Of(const Tensor& t, int input) {
  if (t.rank() < 2) {
    return InvalidArgument("Input tensor ", input, " must have rank >= 2, got ", t.rank());
  }
  const int rank = t.rank();
  return Matrices{Product(t.shape(), 0, rank - 2), t.dim(rank - 2), t.dim(rank - 1),
                  t.shape().Slice(0, rank - 2)};
}

StatusOr<Matrices> Matrices::SquareOf(const Tensor& t, int input) {
  RAMET_ASSIGN_OR_RETURN(Matrices found, Of(t, input));
  if (found.m != found.n) return InvalidArgument("Input matrix must be square.");
  return found;
}

Shape Matrices::With(std::initializer_list<int64_t> dims) const {
  Shape shape = batch;
  for (int64_t d : dims) shape.Append(d);
  return shape;
}

Status NotInvertible() { return InvalidArgument("Input is not invertible."); }

StatusOr<Shape> MakeSquare(ShapeContext& c, int i) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.WithRankAtLeast(i, 2));
  if (shape.unknown_rank()) return shape;
  const int last = shape.rank() - 1;
  const int64_t m = shape.dim(last - 1), n = shape.dim(last);
  if (m >= 0 && n >= 0 && m != n) {
    return InvalidArgument("Dimensions must be equal, but are ", m, " and ", n);
  }
  shape.set_dim(last - 1, std::max(m, n));
  shape.set_dim(last, std::max(m, n));
  return shape;
}

Status SquareShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, MakeSquare(c, 0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Output MatMul(GradientContext& c, const Output& a, const Output& b, bool adjoint_a,
              bool adjoint_b) {
  return c.Add("BatchMatMulV2", {a, b}, {{"adj_x", adjoint_a}, {"adj_y", adjoint_b}});
}

Output Adjoint(GradientContext& c, const Output& x) {
  const Shape shape = x.shape();
  const Output conj = Conj(c, x);
  if (shape.rank() >= 2) {
    std::vector<int64_t> order(shape.rank());
    for (int d = 0; d < shape.rank(); ++d) order[d] = d;
    std::swap(order[shape.rank() - 2], order[shape.rank() - 1]);
    return c.Add("Transpose", {conj, Int32Vector(c, order)});
  }
  const Output rank = RankOf(c, x);
  const Output first = RangeTo(c, rank - Tensor(int32_t{2}));
  const Output tail = c.Add("Pack", {rank - Tensor(int32_t{1}), rank - Tensor(int32_t{2})});
  return c.Add("Transpose", {conj, ConcatVectors(c, {first, tail})});
}

Output LowerTriangle(GradientContext& c, const Output& x) {
  return c.Add("MatrixBandPart", {x, Tensor(int64_t{-1}), Tensor(int64_t{0})});
}

Output UpperTriangle(GradientContext& c, const Output& x) {
  return c.Add("MatrixBandPart", {x, Tensor(int64_t{0}), Tensor(int64_t{-1})});
}

Output HalfDiagonal(GradientContext& c, const Output& x) {
  const Output half = ScalarLike(c, x.dtype(), 0.5) * c.Add("MatrixDiagPart", {x});
  return c.Add("MatrixSetDiag", {x, half});
}

Output TriangularSolve(GradientContext& c, const Output& a, const Output& b, bool lower,
                       bool adjoint) {
  return c.Add("MatrixTriangularSolve", {a, b}, {{"lower", lower}, {"adjoint", adjoint}});
}

Output AsMatrices(GradientContext& c, const Output& x) {
  const Output ones = Int32Vector(c, std::vector<int64_t>{1, 1});
  return Reshape(c, x, ConcatVectors(c, {ShapeOf(c, x), ones}));
}

}  // namespace ramet
