#pragma once

#include <cstdint>

namespace ramet::linalg {

// Matrix factorizations and their uses for T = float, double and their complex types. Matrices are
// dense and row-major; results must not overlap arguments. Runs on one thread.
template <class T>
struct Factor {
  // Computes the lower triangular l with a = l * l^H from the lower triangle of a. Returns false,
  // with l unspecified, if a is not positive definite.
  static bool Cholesky(int64_t n, const T* a, T* l);
  // Computes the gradient of a, both triangles, from the gradient of its factor l.
  static void CholeskyGrad(int64_t n, const T* l, const T* grad, T* out);

  // Computes L * U = P * a: row i of P * a is row p[i] of a. lu holds U and, below the diagonal, L,
  // whose diagonal is ones. Returns false if a pivot is 0.
  static bool Lu(int64_t n, const T* a, T* lu, int64_t* p);
  // Computes log(|det a|) and det a / |det a|. For a singular a they are -infinity and 0.
  static void LogDeterminant(int64_t n, const T* a, T* sign, T* log);
  // Computes a^-1, or (a^H)^-1 with `adjoint`. Returns false if a pivot is 0.
  static bool Inverse(int64_t n, const T* a, bool adjoint, T* out);
  // Solves a * x = b, or a^H * x = b, for x [n, k]. Returns false if a pivot is 0.
  static bool Solve(int64_t n, int64_t k, const T* a, bool adjoint, const T* b, T* x);
  // Solves with the lower or upper triangle of a.
  static void TriangularSolve(int64_t n, int64_t k, const T* a, bool lower, bool adjoint,
                              const T* b, T* x);
};

}  // namespace ramet::linalg
