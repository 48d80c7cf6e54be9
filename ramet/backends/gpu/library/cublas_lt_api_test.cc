// Compares the declarations of cublas_lt_api.h with the headers of the CUDA toolkit, where they are
// installed.
#include "ramet/backends/gpu/library/cublas_lt_api.h"

#include <gtest/gtest.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

#include "ramet/backends/gpu/testing/same_call.h"

namespace ramet::gpu::cublas_lt {
namespace {

using testing::SameCall;

#define RAMET_EXPECT_CONSTANT(name, value) static_assert(static_cast<int>(name) == value, #name);
RAMET_CUBLAS_LT_CONSTANTS(RAMET_EXPECT_CONSTANT)
#undef RAMET_EXPECT_CONSTANT

#define RAMET_EXPECT_CALL(name, parameters) \
  static_assert(SameCall<decltype(&cublasLt##name), decltype(api::Functions::name)>::value, #name);
RAMET_CUBLAS_LT_FUNCTIONS(RAMET_EXPECT_CALL)
#undef RAMET_EXPECT_CALL

static_assert(sizeof(api::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(api::Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(api::Heuristic, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(api::Heuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));

TEST(CublasLtApiTest, EqualsTheToolkitsHeaders) { SUCCEED() << "checked by the compiler"; }

}  // namespace
}  // namespace ramet::gpu::cublas_lt

#else

TEST(CublasLtApiTest, EqualsTheToolkitsHeaders) {
  GTEST_SKIP() << "skipped: the headers of the CUDA toolkit are not installed";
}

#endif
