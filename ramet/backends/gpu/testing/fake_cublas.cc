#include <cstdint>
#include <cstring>
#include <functional>
#include <new>

#include "ramet/backends/gpu/library/cublas_lt_api.h"
#include "ramet/backends/gpu/testing/fake_cuda.h"

// A double of cuBLASLt, which computes products of floats and doubles on host memory as the
// descriptors say.

namespace api = ramet::gpu::cublas_lt::api;
using api::Status;
using ramet::gpu::testing::FakeCuda;

namespace ramet::gpu::cublas_lt::api {

struct Operation {
  int compute, scale;
  int32_t transpose_a = 0, transpose_b = 0;
  uint32_t epilogue = 0;
  const void* bias = nullptr;
};
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t ld;
  int32_t count = 1;
  int64_t step = 0;
};

}  // namespace ramet::gpu::cublas_lt::api

namespace {

constexpr Status kInvalidValue = 7;

// Column-major, as in BLAS.
template <class T>
T ElementOf(const void* matrices, const api::Layout& layout, bool transpose, int stack,
            uint64_t row, uint64_t column) {
  if (transpose) std::swap(row, column);
  return static_cast<const T*>(
      matrices)[static_cast<uint64_t>(stack * layout.step) + column * layout.ld + row];
}

// Reports whether a bias is at an address that kernels for any bias can read.
bool IsAligned(const void* bias) {
  constexpr uintptr_t kAlignment = 16;
  return bias != nullptr && reinterpret_cast<uintptr_t>(bias) % kAlignment == 0;
}

template <class T>
void Multiply(const api::Operation& op, const void* a, const api::Layout& a_layout, const void* b,
              const api::Layout& b_layout, void* d, const api::Layout& d_layout) {
  const uint64_t depth = op.transpose_a ? a_layout.rows : a_layout.columns;
  const bool has_bias = op.epilogue == api::k_CUBLASLT_EPILOGUE_BIAS;
  for (int stack = 0; stack < d_layout.count; ++stack) {
    for (uint64_t row = 0; row < d_layout.rows; ++row) {
      for (uint64_t column = 0; column < d_layout.columns; ++column) {
        T sum = 0;
        for (uint64_t k = 0; k < depth; ++k) {
          sum += ElementOf<T>(a, a_layout, op.transpose_a == api::k_CUBLAS_OP_T, stack, row, k) *
                 ElementOf<T>(b, b_layout, op.transpose_b == api::k_CUBLAS_OP_T, stack, k, column);
        }
        if (has_bias) sum += static_cast<const T*>(op.bias)[row];
        static_cast<T*>(
            d)[static_cast<uint64_t>(stack * d_layout.step) + column * d_layout.ld + row] = sum;
      }
    }
  }
}

}  // namespace

extern "C" {

// Enqueues work on a stream of the double of the driver (fake_cuda.cc).
void ramet_fake_cuda_enqueue(ramet::gpu::cuda::api::Stream* stream, std::function<void()> work);

size_t cublasLtGetVersion() { return 130100; }
Status cublasLtCreate(api::Handle** handle) {
  *handle = reinterpret_cast<api::Handle*>(ramet_fake_cuda());
  return ramet_fake_cuda()->cublas_status;
}
Status cublasLtDestroy(api::Handle*) { return 0; }
Status cublasLtMatmulDescCreate(api::Operation** operation, int compute, int scale) {
  *operation = new api::Operation{compute, scale};
  ramet_fake_cuda()->cublas_compute = compute;
  return 0;
}
Status cublasLtMatmulDescDestroy(api::Operation* operation) {
  delete operation;
  return 0;
}
Status cublasLtMatmulDescSetAttribute(api::Operation* operation, int attribute, const void* value,
                                      size_t size) {
  const auto set = [&](auto& field) {
    if (size != sizeof field) return kInvalidValue;
    std::memcpy(&field, value, size);
    return 0;
  };
  switch (attribute) {
    case api::k_CUBLASLT_MATMUL_DESC_TRANSA: return set(operation->transpose_a);
    case api::k_CUBLASLT_MATMUL_DESC_TRANSB: return set(operation->transpose_b);
    case api::k_CUBLASLT_MATMUL_DESC_EPILOGUE: return set(operation->epilogue);
    case api::k_CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(operation->bias);
    default: return kInvalidValue;
  }
}
Status cublasLtMatrixLayoutCreate(api::Layout** layout, int type, uint64_t rows, uint64_t columns,
                                  int64_t ld) {
  *layout = new api::Layout{type, rows, columns, ld};
  return 0;
}
Status cublasLtMatrixLayoutDestroy(api::Layout* layout) {
  delete layout;
  return 0;
}
Status cublasLtMatrixLayoutSetAttribute(api::Layout* layout, int attribute, const void* value,
                                        size_t size) {
  const bool is_count = attribute == api::k_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
  void* const field = is_count ? static_cast<void*>(&layout->count) : &layout->step;
  if (size != (is_count ? sizeof layout->count : sizeof layout->step)) return kInvalidValue;
  std::memcpy(field, value, size);
  return 0;
}
Status cublasLtMatmulPreferenceCreate(api::Preference** preference) {
  *preference = static_cast<api::Preference*>(::operator new(1));
  return 0;
}
Status cublasLtMatmulPreferenceDestroy(api::Preference* preference) {
  ::operator delete(preference);
  return 0;
}
Status cublasLtMatmulPreferenceSetAttribute(api::Preference*, int, const void*, size_t size) {
  return size == sizeof(size_t) ? 0 : kInvalidValue;
}
// Adds no bias to products of doubles, as the library.
Status cublasLtMatmulAlgoGetHeuristic(api::Handle*, api::Operation* operation, api::Layout* a,
                                      api::Layout*, api::Layout*, api::Layout*, api::Preference*,
                                      int, api::Heuristic* best, int* found) {
  ++ramet_fake_cuda()->cublas_choices;
  const bool has_bias = operation->epilogue == api::k_CUBLASLT_EPILOGUE_BIAS;
  if (has_bias && !IsAligned(operation->bias)) return kInvalidValue;
  *best = {};
  best->workspace_bytes = ramet_fake_cuda()->cublas_workspace_bytes;
  *found = a->type == api::k_CUDA_R_32F || (a->type == api::k_CUDA_R_64F && !has_bias);
  return 0;
}
Status cublasLtMatmul(api::Handle*, api::Operation* operation, const void* alpha, const void* a,
                      api::Layout* a_layout, const void* b, api::Layout* b_layout, const void* beta,
                      const void* c, api::Layout*, void* d, api::Layout* d_layout,
                      const api::Algorithm*, void* workspace, size_t workspace_bytes,
                      ramet::gpu::cuda::api::Stream* stream) {
  const bool is_wide = operation->scale == api::k_CUDA_R_64F;
  const bool is_plain =
      is_wide ? *static_cast<const double*>(alpha) == 1 && *static_cast<const double*>(beta) == 0
              : *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
  if (!is_plain || c != d) return kInvalidValue;
  if (operation->epilogue != 0 && !IsAligned(operation->bias)) return kInvalidValue;
  if ((workspace == nullptr) != (workspace_bytes == 0)) return kInvalidValue;
  const auto multiply = is_wide ? &Multiply<double> : &Multiply<float>;
  ramet_fake_cuda_enqueue(stream, [=, operation = *operation, a_layout = *a_layout,
                                   b_layout = *b_layout, d_layout = *d_layout] {
    if (workspace_bytes > 0) std::memset(workspace, 0xFF, workspace_bytes);
    multiply(operation, a, a_layout, b, b_layout, d, d_layout);
  });
  return 0;
}

}  // extern "C"
