#include "ramet/ops/signal/fft_grad.h"

#include <complex>
#include <numbers>

#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// Returns the number of elements that one transform covers.
Output TransformSize(GradientContext& c, const Output& x, int rank) {
  return c.Add("Prod",
               {SliceFrom(c, ShapeOf(c, x), -rank), Int32Vector(c, std::vector<int64_t>{0})});
}

DType ComplexOf(DType real) { return real == kDouble ? DType::kComplex128 : DType::kComplex64; }
DType RealOf(DType complex) { return complex == DType::kComplex128 ? kDouble : kFloat; }

// Returns x[..., begin:end] with a last dimension of size 1. An end of 0 omits that bound.
Output LastElements(GradientContext& c, const Output& x, int begin, int end) {
  return c.Add("StridedSlice",
               {x, Tensor::Vector<int32_t>({0, begin}), Tensor::Vector<int32_t>({0, end}),
                Tensor::Vector<int32_t>({1, 1})},
               {{"ellipsis_mask", 1}, {"end_mask", end == 0 ? 2 : 0}}, "strided_slice");
}

// Returns [1, -1, 1, -1, ...] of the given length and dtype.
Output AlternatingSigns(GradientContext& c, const Output& length, DType type) {
  const Output odd = c.Add("FloorMod", {RangeTo(c, length), 2}, {}, "mod");
  return Cast(c, 1 - 2 * odd, type);
}

// Returns 1 if the last element of fft_length is even, else 0.
Output IsEven(GradientContext& c, const Output& fft_length, DType type) {
  const Output odd = c.Add("FloorMod", {ElementAt(c, fft_length, -1), 2}, {}, "mod");
  return Cast(c, 1 - odd, type);
}

// Returns a vector of n ones, where n is a scalar tensor.
Output Ones(GradientContext& c, const Output& n) {
  const Output dims = c.Add("Pack", {n}, {{"N", 1}, {"axis", 0}}, "ones/packed");
  return c.Add("Fill", {dims, 1}, {}, "ones");
}
Output OnesVector(GradientContext& c, const Output& n, DType type) {
  const Output dims = c.Add("Pack", {n}, {{"N", 1}, {"axis", 0}}, "ones/packed");
  return c.Add("Fill", {dims, ScalarLike(c, type, 1, "ones/Const")}, {}, "ones");
}

Tensor ComplexScalar(DType type, std::complex<double> value) {
  Tensor t(type, Shape());
  if (type == kComplex128) {
    *t.mutable_data<std::complex<double>>() = value;
  } else {
    *t.mutable_data<std::complex<float>>() = std::complex<float>(value);
  }
  return t;
}

// Returns the matrix exp(-2 pi i j k / length) of a transform.
Output TransformMatrix(GradientContext& c, const Output& length, DType type) {
  const Output row = c.Add("ExpandDims", {RangeTo(c, length), 0});
  const Output repeats = c.Add("Pack", {length, 1}, {{"N", 2}, {"axis", 0}}, "Tile/multiples");
  const Output j = c.Add("Tile", {row, repeats});
  const Output k = c.Add("Transpose", {j, Tensor::Vector<int32_t>({1, 0})}, {}, "transpose");
  const Input turn = ComplexScalar(type, {0, -2 * std::numbers::pi});
  return c.Add("Exp", {turn * Cast(c, j * k, type) / Cast(c, length, type)});
}

// Repeats a matrix along all dimensions of x but the last two.
Output RepeatedFor(GradientContext& c, const Output& matrix, const Output& x) {
  const Output leading = Ones(c, RankOf(c, x) - 2);
  const Output expanded = Reshape(c, matrix, ConcatVectors(c, {leading, ShapeOf(c, matrix)}));
  const Output batch = SliceOf(c, ShapeOf(c, x), 0, -2);
  const Output repeats = ConcatVectors(c, {batch, Tensor::Vector<int32_t>({1, 1})});
  return c.Add("Tile", {expanded, repeats});
}

Output Product(GradientContext& c, const Output& a, const Output& b) {
  return c.Add("BatchMatMulV2", {a, b}, {}, "MatMul");
}

// The output of a real transform omits the half of the spectrum that follows from the symmetry, but
// elements 0 and, for an even length, n / 2 stand for themselves only. Adds their share to the
// inverse transform of grad.
Status ReturnRfftGradient(GradientContext& c, int rank, const char* opposite, const Output& alone) {
  const DType real = RealOf(c.grad().dtype());
  const Output size = Cast(c, TransformSize(c, c.input(0), rank), real);
  const Output inverse = c.Add(opposite, {c.grad(), c.input(1)}, {{"Treal", real}});
  const Output share = c.Add("Real", {alone}, {{"Tout", real}});
  return c.Return({0.5 * (inverse * size + share), Gradient()});
}

}  // namespace

Status FftGradient(GradientContext& c, int rank, const char* opposite) {
  const Output grad = c.grad();
  const Output size = Cast(c, TransformSize(c, grad, rank), grad.dtype());
  return c.Return({c.Add(opposite, {grad}) * size});
}

Status IfftGradient(GradientContext& c, int rank, const char* opposite) {
  const Output grad = c.grad();
  const Output size = Cast(c, TransformSize(c, grad, rank), RealOf(grad.dtype()));
  const Output scale = Cast(c, 1.0 / size, grad.dtype());
  return c.Return({c.Add(opposite, {grad}) * scale});
}

Status RfftGradient(GradientContext& c) {
  const Output grad = c.grad();
  const Output shape = ShapeOf(c, c.input(0));
  const Output is_even = IsEven(c, c.input(1), grad.dtype());
  const Output first = LastElements(c, grad, 0, 1), last = LastElements(c, grad, -1, 0);
  const Output even_last = is_even * last;
  const Output signs = AlternatingSigns(c, ElementAt(c, shape, -1), grad.dtype());
  return ReturnRfftGradient(c, 1, "IRFFT", first + even_last * signs);
}

Status Rfft2dGradient(GradientContext& c) {
  const Output grad = c.grad();
  const Output shape = ShapeOf(c, c.input(0));
  const Output is_even = IsEven(c, c.input(1), grad.dtype());
  const Output first = LastElements(c, grad, 0, 1);
  const Output matrix =
      RepeatedFor(c, TransformMatrix(c, ElementAt(c, shape, -2), grad.dtype()), first);
  const Output by_first = Product(c, matrix, Conj(c, first));
  const Output by_last = Product(c, matrix, Conj(c, LastElements(c, grad, -1, 0)));
  const Output columns = ElementAt(c, shape, -1);
  const Output repeats =
      ConcatVectors(c, {Ones(c, RankOf(c, grad) - 1),
                        c.Add("Pack", {columns}, {{"N", 1}, {"axis", 0}}, "concat/values_1")});
  const Output last =
      c.Add("Tile", {by_last, repeats}) * AlternatingSigns(c, columns, grad.dtype());
  return ReturnRfftGradient(c, 2, "IRFFT2D", by_first + is_even * last);
}

// Elements of the input other than 0 and, for an even length, n / 2 count twice, because they also
// stand for the half of the spectrum that the input omits.
Status IrfftGradient(GradientContext& c, int rank, const char* opposite) {
  const Output grad = c.grad();
  const DType real = grad.dtype(), complex = ComplexOf(real);
  const Output is_odd = c.Add("FloorMod", {ElementAt(c, c.input(1), -1), 2}, {}, "mod");
  const Output columns = ElementAt(c, ShapeOf(c, c.input(0)), -1);
  const Output inner = 2.0 * OnesVector(c, columns - 2 + is_odd, real);
  const Output one = c.Add("ExpandDims", {ScalarLike(c, real, 1), 0});
  const Output counts = ConcatVectors(c, {one, inner, OnesVector(c, 1 - is_odd, real)});
  const Output size = Cast(c, TransformSize(c, grad, rank), real);
  const Output scale = c.Add("Reciprocal", {size});
  const Output forward = c.Add(opposite, {grad, c.input(1)}, {{"Tcomplex", complex}});
  return c.Return({forward * Cast(c, scale * counts, complex), Gradient()});
}

}  // namespace ramet
