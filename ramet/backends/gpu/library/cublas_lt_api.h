#pragma once

#include <cstddef>
#include <cstdint>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"

// The part of cuBLASLt that Ramet uses. cublas_lt_api_test.cc compares it with the toolkit's
// headers where they are installed. Source: the cuBLAS reference, version 11.2 and later.
namespace ramet::gpu::cublas_lt::api {

using Status = int;  // 0 is success
struct Handle;
struct Operation;
struct Layout;
struct Preference;
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

// Calls define(name, value) for each constant.
#define RAMET_CUBLAS_LT_CONSTANTS(define)                                                          \
  define(CUBLAS_STATUS_SUCCESS, 0) define(CUBLAS_STATUS_ALLOC_FAILED, 3) define(CUBLAS_OP_T, 1)    \
      define(CUBLAS_COMPUTE_32F, 68) define(CUBLAS_COMPUTE_64F, 70)                                \
          define(CUBLAS_COMPUTE_32F_FAST_TF32, 77) define(CUDA_R_32F, 0) define(CUDA_R_64F, 1)     \
              define(CUDA_R_16F, 2) define(CUDA_R_16BF, 14) define(CUBLASLT_MATMUL_DESC_TRANSA, 3) \
                  define(CUBLASLT_MATMUL_DESC_TRANSB, 4) define(CUBLASLT_MATMUL_DESC_EPILOGUE, 7)  \
                      define(CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8)                                 \
                          define(CUBLASLT_EPILOGUE_BIAS, 4)                                        \
                              define(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5)                        \
                                  define(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6)           \
                                      define(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)

#define RAMET_CUBLAS_LT_CONSTANT(name, value) inline constexpr int k_##name = value;
RAMET_CUBLAS_LT_CONSTANTS(RAMET_CUBLAS_LT_CONSTANT)
#undef RAMET_CUBLAS_LT_CONSTANT

// Calls declare(name, parameters) for each function; the library's names begin with cublasLt. All
// return Status.
// clang-format off
#define RAMET_CUBLAS_LT_FUNCTIONS(declare) \
  declare(Create, (Handle**)) \
  declare(Destroy, (Handle*)) \
  declare(MatmulDescCreate, (Operation**, int, int)) \
  declare(MatmulDescDestroy, (Operation*)) \
  declare(MatmulDescSetAttribute, (Operation*, int, const void*, size_t)) \
  declare(MatrixLayoutCreate, (Layout**, int, uint64_t, uint64_t, int64_t)) \
  declare(MatrixLayoutDestroy, (Layout*)) \
  declare(MatrixLayoutSetAttribute, (Layout*, int, const void*, size_t)) \
  declare(MatmulPreferenceCreate, (Preference**)) \
  declare(MatmulPreferenceDestroy, (Preference*)) \
  declare(MatmulPreferenceSetAttribute, (Preference*, int, const void*, size_t)) \
  declare(MatmulAlgoGetHeuristic, \
          (Handle*, Operation*, Layout*, Layout*, Layout*, Layout*, Preference*, int, Heuristic*, \
           int*)) \
  declare(Matmul, \
          (Handle*, Operation*, const void*, const void*, Layout*, const void*, Layout*, \
           const void*, const void*, Layout*, void*, Layout*, const Algorithm*, void*, size_t, \
           cuda::api::Stream*))
// clang-format on

// Pointers to the functions.
struct Functions {
#define RAMET_CUBLAS_LT_POINTER(name, parameters) Status(*name) parameters = nullptr;
  RAMET_CUBLAS_LT_FUNCTIONS(RAMET_CUBLAS_LT_POINTER)
#undef RAMET_CUBLAS_LT_POINTER
};

}  // namespace ramet::gpu::cublas_lt::api
