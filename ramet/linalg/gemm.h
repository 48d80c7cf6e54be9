#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Matrix products. Dense row-major. float runs on oneDNN when libdnnl.so.2 can be loaded (a matrix
// with one row, and everything when it cannot, on our own and Eigen's code). Uses the calling
// thread's intra-op threads; with SetDeterministic(true) bits do not depend on their number.

namespace ramet::linalg {

struct GemmOptions {
  // c += instead of c =.
  bool accumulate = false;
  // Conjugates the operand (complex types only); a transposed one becomes the adjoint.
  bool conjugate_a = false;
  bool conjugate_b = false;
  // Elements from one row to the next as stored; 0 = dense.
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
};

// float, double, half, bfloat16 (both accumulate in float), int32, int64, uint8..uint64, int8,
// int16, complex64, complex128; not bool.
bool HasGemm(Type type);

// c[m, n] = op(a)[m, k] * op(b)[k, n]; a is stored [m, k], or [k, m] with transpose_a; b is stored
// [k, n], or [n, k] with transpose_b. k = 0 gives zeros. c overlaps neither a nor b. Integers wrap.
void Gemm(Type type, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
          const void* a, const void* b, void* c, const GemmOptions& options = {});

// Gemm for i in [0, batch) with a + i * stride_a, b + i * stride_b, c + i * stride_c (in elements;
// a stride of 0 uses one operand for all; stride_c must separate the results).
void BatchGemm(Type type, bool transpose_a, bool transpose_b, int64_t batch, int64_t m, int64_t n,
               int64_t k, const void* a, int64_t stride_a, const void* b, int64_t stride_b, void* c,
               int64_t stride_c, const GemmOptions& options = {});

template <class T>
void Gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const T* a,
          const T* b, T* c, const GemmOptions& options = {}) {
  Gemm(TypeOf<T>, transpose_a, transpose_b, m, n, k, a, b, c, options);
}

// Whether oneDNN was found (loads it).
bool HaveOneDnn();

}  // namespace ramet::linalg
