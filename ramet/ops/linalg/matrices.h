#pragma once

#include <complex>

#include "ramet/base/float16.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"

// The types that decompositions are computed in.
#define RAMET_LINALG_TYPES float, double, std::complex<float>, std::complex<double>

namespace ramet {

// A Matrices is a tensor [..., m, n] seen as a stack of matrices.
struct Matrices {
  int64_t count, m, n;
  Shape batch;  // the dimensions before the last two

  // \error kInvalidArgument "Input tensor 0 must have rank >= 2, got 1".
  static StatusOr<Matrices> Of(const Tensor& t, int input);
  // \error kInvalidArgument also "Input matrix must be square.".
  static StatusOr<Matrices> SquareOf(const Tensor& t, int input);

  Shape With(std::initializer_list<int64_t> dims) const;
  int64_t size() const { return m * n; }
  // The matrices that have elements: `count`, or none. A stack of empty matrices may have any count
  // up to 2^63, so that loops over it do no work.
  int64_t filled() const { return size() > 0 ? count : 0; }
};

// The error of a matrix that cannot be inverted.
Status NotInvertible();

// Output 0 is like input 0, a stack of square matrices.
Status SquareShape(ShapeContext& c);
// Input i, whose last two dimensions are merged. \error kInvalidArgument if they differ, or the
// rank is below 2.
StatusOr<Shape> MakeSquare(ShapeContext& c, int i);

// What gradients of these ops are made of; stacks of matrices, the last two dimensions at work.
// tf.matmul with transposed and conjugated operands.
Output MatMul(GradientContext& c, const Output& a, const Output& b, bool adjoint_a = false,
              bool adjoint_b = false);
Output Adjoint(GradientContext& c, const Output& x);
// The lower (or upper) triangle, the diagonal with it.
Output LowerTriangle(GradientContext& c, const Output& x);
Output UpperTriangle(GradientContext& c, const Output& x);
// x with its diagonal halved.
Output HalfDiagonal(GradientContext& c, const Output& x);
Output TriangularSolve(GradientContext& c, const Output& a, const Output& b, bool lower,
                       bool adjoint);
// x with two dimensions of size 1 at its end.
Output AsMatrices(GradientContext& c, const Output& x);

}  // namespace ramet
