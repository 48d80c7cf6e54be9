#pragma once

#include <cstdint>

namespace ramet::linalg {

// Factors of single matrices and what is computed with them, for T = float, double and their
// complex types. Matrices are dense and row-major; results overlap no argument. On one thread.
template <class T>
struct Factor {
  // The lower triangle l with a = l * l^H, zeros above; reads a's lower triangle. False, and l is
  // unspecified, if a is not positive definite.
  static bool Cholesky(int64_t n, const T* a, T* l);
  // The gradient of a, both triangles, for the gradient of its factor l.
  static void CholeskyGrad(int64_t n, const T* l, const T* grad, T* out);

  // lu has U and, below the diagonal, L (with ones on its own), so that L * U = a with row p[i] of
  // a as row i. False if a pivot is 0.
  static bool Lu(int64_t n, const T* a, T* lu, int64_t* p);
  // log(|det a|), and det a / |det a| (0 for a singular a, and then log is -infinity).
  static void LogDeterminant(int64_t n, const T* a, T* sign, T* log);
  // a^-1, of a^H with `adjoint`. False if a pivot is 0.
  static bool Inverse(int64_t n, const T* a, bool adjoint, T* out);
  // x[n, k] with a * x = b, or a^H * x = b. False if a pivot is 0.
  static bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);
  // The same for the lower or upper triangle of a.
  static void TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint,
                              const T* b, T* x);
};

}  // namespace ramet::linalg
