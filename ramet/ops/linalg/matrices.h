#pragma once

#include <complex>

#include "ramet/base/float16.h"
#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"
#include "ramet/ops/linalg/matrix_runner.h"

// The types in which decompositions are computed.
#define RAMET_LINALG_TYPES float, double, std::complex<float>, std::complex<double>

namespace ramet {

// A Matrices is a view of a tensor [..., m, n] as a stack of matrices.
struct Matrices {
  int64_t count, m, n;
  Shape batch;  // the dimensions before the last two

  // \error kInvalidArgument: "Input tensor 0 must have rank >= 2, got 1".
  static StatusOr<Matrices> Of(const Tensor& t, int input);
  // \error kInvalidArgument: also "Input matrix must be square.".
  static StatusOr<Matrices> SquareOf(const Tensor& t, int input);

  Shape With(std::initializer_list<int64_t> dims) const;
  int64_t size() const { return m * n; }
  // Returns the number of matrices that have elements: `count`, or zero. A stack of empty matrices
  // may have any count up to 2^63; loops over filled() do no work for it.
  int64_t filled() const { return size() > 0 ? count : 0; }

  // Return matrix i of the elements at `data`, for a MatrixRunner.
  template <class T>
  MatrixOperand Operand(const T* data, int64_t i) const {
    return MatrixOperand::Of(data + i * size(), size());
  }
  template <class T>
  MatrixResult Result(T* data, int64_t i) const {
    return MatrixResult::Of(data + i * size(), size());
  }
};

// Returns the error for a matrix that cannot be inverted.
Status NotInvertible();

// Sets output 0 to the shape of input 0, a stack of square matrices.
Status SquareShape(ShapeContext& c);
// Returns the shape of input i with its last two dimensions merged.
// \error kInvalidArgument: the two dimensions differ, or the rank is below 2.
StatusOr<Shape> MakeSquare(ShapeContext& c, int i);

// Building blocks for the gradients of these ops. They work on the last two dimensions of stacks of
// matrices.

// Returns a * b, like tf.matmul with transposed and conjugated operands.
Output MatMul(GradientContext& c, const Output& a, const Output& b, bool adjoint_a = false,
              bool adjoint_b = false);
Output Adjoint(GradientContext& c, const Output& x);
// Return the lower or upper triangle, including the diagonal.
Output LowerTriangle(GradientContext& c, const Output& x);
Output UpperTriangle(GradientContext& c, const Output& x);
// Returns x with its diagonal halved.
Output HalfDiagonal(GradientContext& c, const Output& x);
Output TriangularSolve(GradientContext& c, const Output& a, const Output& b, bool lower,
                       bool adjoint);
// Returns x with two dimensions of size 1 appended.
Output AsMatrices(GradientContext& c, const Output& x);

}  // namespace ramet
