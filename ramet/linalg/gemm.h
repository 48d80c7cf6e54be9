#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

// Dense row-major matrix products. float runs on oneDNN if libdnnl.so.2 can be loaded. Otherwise,
// and for matrices with one row, Ramet's and Eigen's code is used. Uses the calling thread's
// intra-op threads; with SetDeterministic(true) bits do not depend on their number.

namespace ramet::linalg {

struct GemmOptions {
  // Computes c += instead of c =.
  bool accumulate = false;
  // Conjugates the operand (complex types only). With a transposed operand this is the adjoint.
  bool conjugate_a = false;
  bool conjugate_b = false;
  // Elements from one stored row to the next; 0 means dense.
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
};

// Reports whether Gemm supports `type`: all but bool. half and bfloat16 accumulate in float.
bool HasGemm(Type type);

// c[m, n] = op(a)[m, k] * op(b)[k, n]. a is stored [m, k], or [k, m] with transpose_a; b is stored
// [k, n], or [n, k] with transpose_b. k = 0 gives zeros. c must not overlap a or b. Integers wrap.
void Gemm(Type type, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
          const void* a, const void* b, void* c, const GemmOptions& options = {});

// Runs Gemm for i in [0, batch) on a + i * stride_a, b + i * stride_b, c + i * stride_c. Strides
// are in elements; a stride of 0 uses one operand for all. stride_c must separate the results.
void BatchGemm(Type type, bool transpose_a, bool transpose_b, int64_t batch, int64_t m, int64_t n,
               int64_t k, const void* a, int64_t stride_a, const void* b, int64_t stride_b, void* c,
               int64_t stride_c, const GemmOptions& options = {});

template <class T>
void Gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const T* a,
          const T* b, T* c, const GemmOptions& options = {}) {
  Gemm(TypeOf<T>, transpose_a, transpose_b, m, n, k, a, b, c, options);
}

// Reports whether oneDNN is available, loading it if necessary.
bool HaveOneDnn();

}  // namespace ramet::linalg
