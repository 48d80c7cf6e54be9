// Compares the declarations of cudnn_api.h with cuDNN's headers, where they are installed.
#include "ramet/backends/gpu/library/cudnn_api.h"

#include <gtest/gtest.h>

#if __has_include(<cudnn.h>) && __has_include(<cuda_runtime.h>)
#include <cudnn.h>

#include "ramet/backends/gpu/testing/same_call.h"

namespace ramet::gpu::cudnn {
namespace {

using testing::SameCall;

#define RAMET_EXPECT_CONSTANT(name, value) static_assert(static_cast<int>(name) == value, #name);
RAMET_CUDNN_CONSTANTS(RAMET_EXPECT_CONSTANT)
#undef RAMET_EXPECT_CONSTANT

#define RAMET_EXPECT_CALL(result, name, parameters) \
  static_assert(SameCall<decltype(&cudnn##name), decltype(api::Functions::name)>::value, #name);
RAMET_CUDNN_FUNCTIONS(RAMET_EXPECT_CALL)
#undef RAMET_EXPECT_CALL

// Attributes are passed as arrays of these.
static_assert(sizeof(cudnnDataType_t) == sizeof(int));
static_assert(sizeof(cudnnConvolutionMode_t) == sizeof(int));
static_assert(sizeof(cudnnBackendHeurMode_t) == sizeof(int));
static_assert(sizeof(cudnnBackendNumericalNote_t) == sizeof(int));

TEST(CudnnApiTest, EqualsCudnnsHeaders) { SUCCEED() << "checked by the compiler"; }

}  // namespace
}  // namespace ramet::gpu::cudnn

#else

TEST(CudnnApiTest, EqualsCudnnsHeaders) {
  GTEST_SKIP() << "skipped: the headers of cuDNN and the CUDA toolkit are not installed";
}

#endif
