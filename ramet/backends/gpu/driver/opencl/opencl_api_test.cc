// Compares the declarations of opencl_api.h with the system's headers, where they are installed
// (Debian: opencl-c-headers).
#include "ramet/backends/gpu/driver/opencl/opencl_api.h"

#include <gtest/gtest.h>

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "ramet/backends/gpu/driver/opencl/opencl_library.h"
#include "ramet/backends/gpu/testing/same_call.h"

namespace ramet::gpu::opencl {
namespace {

#define RAMET_EXPECT_CONSTANT(name, value) static_assert(CL_##name == api::k_##name);
RAMET_OPENCL_CONSTANTS(RAMET_EXPECT_CONSTANT)

#define RAMET_EXPECT_CALL(result, name, parameters)                                            \
  static_assert(testing::SameCall<decltype(&cl##name), decltype(api::Functions::name)>::value, \
                #name);
RAMET_OPENCL_FUNCTIONS(RAMET_EXPECT_CALL)

static_assert(!testing::SameCall<cl_int (*)(cl_mem), api::Int (*)(api::UInt)>::value);
static_assert(!testing::SameCall<cl_int (*)(cl_mem), api::Int (*)(api::Mem*, api::UInt)>::value);
static_assert(!testing::SameCall<cl_int (*)(size_t*), api::Int (*)(api::UInt*)>::value);

TEST(OpenClApiTest, EqualsTheSystemsHeaders) { SUCCEED() << "checked by the compiler"; }

}  // namespace
}  // namespace ramet::gpu::opencl

#else

TEST(OpenClApiTest, EqualsTheSystemsHeaders) {
  GTEST_SKIP() << "skipped: the headers of OpenCL are not installed (opencl-c-headers)";
}

#endif
