// Compares the declarations of cuda_api.h with the headers of the CUDA toolkit, where they are
// installed.
#include "ramet/backends/gpu/driver/cuda/cuda_api.h"

#include <gtest/gtest.h>

#include <cstddef>

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>

#include "ramet/backends/gpu/driver/cuda/cuda_library.h"
#include "ramet/backends/gpu/driver/cuda/nvrtc.h"
#include "ramet/backends/gpu/testing/same_call.h"

namespace ramet::gpu::cuda {
namespace {

using testing::SameCall;

#define RAMET_EXPECT_CONSTANT(name, value) static_assert(static_cast<int>(name) == value, #name);
RAMET_CUDA_CONSTANTS(RAMET_EXPECT_CONSTANT)
RAMET_CUDA_MEMORY_CONSTANTS(RAMET_EXPECT_CONSTANT)

#define RAMET_EXPECT_CALL(name, symbol, parameters) \
  static_assert(SameCall<decltype(&symbol), decltype(api::Functions::name)>::value, #symbol);
RAMET_CUDA_FUNCTIONS(RAMET_EXPECT_CALL)
RAMET_CUDA_GRAPH_FUNCTIONS(RAMET_EXPECT_CALL)
RAMET_CUDA_NEWER_FUNCTIONS(RAMET_EXPECT_CALL)
#if CUDA_VERSION >= 12030
RAMET_CUDA_ORDER_CONSTANTS(RAMET_EXPECT_CONSTANT)
RAMET_CUDA_ORDER_FUNCTIONS(RAMET_EXPECT_CALL)
static_assert(sizeof(CUgraphEdgeData) == sizeof(api::GraphEdge));
#endif

#define RAMET_EXPECT_COMPILER_CALL(name, symbol, parameters)                                \
  static_assert(SameCall<decltype(&symbol), decltype(api::CompilerFunctions::name)>::value, \
                #symbol);
RAMET_NVRTC_FUNCTIONS(RAMET_EXPECT_COMPILER_CALL)

// Structs have the same fields at the same places.
#define RAMET_EXPECT_FIELD(theirs, their_field, ours, our_field)             \
  static_assert(offsetof(theirs, their_field) == offsetof(ours, our_field)); \
  static_assert(sizeof(theirs::their_field) == sizeof(ours::our_field));
static_assert(sizeof(CUuuid) == sizeof(api::Uuid));
static_assert(sizeof(CUmemLocation) == sizeof(api::MemoryLocation));
RAMET_EXPECT_FIELD(CUmemLocation, type, api::MemoryLocation, type)
RAMET_EXPECT_FIELD(CUmemLocation, id, api::MemoryLocation, id)
static_assert(sizeof(CUmemAllocationProp) == sizeof(api::MemoryProperties));
RAMET_EXPECT_FIELD(CUmemAllocationProp, type, api::MemoryProperties, type)
RAMET_EXPECT_FIELD(CUmemAllocationProp, requestedHandleTypes, api::MemoryProperties, handle_types)
RAMET_EXPECT_FIELD(CUmemAllocationProp, location, api::MemoryProperties, location)
RAMET_EXPECT_FIELD(CUmemAllocationProp, win32HandleMetaData, api::MemoryProperties, windows_data)
RAMET_EXPECT_FIELD(CUmemAllocationProp, allocFlags, api::MemoryProperties, flags)
static_assert(sizeof(CUmemAccessDesc) == sizeof(api::MemoryAccess));
RAMET_EXPECT_FIELD(CUmemAccessDesc, location, api::MemoryAccess, location)
RAMET_EXPECT_FIELD(CUmemAccessDesc, flags, api::MemoryAccess, flags)

static_assert(!SameCall<CUresult (*)(CUdeviceptr), api::Result (*)(unsigned)>::value);
static_assert(!SameCall<CUresult (*)(CUdeviceptr), api::Result (*)(api::Context*)>::value);
static_assert(!SameCall<CUresult (*)(size_t*), api::Result (*)(unsigned*)>::value);
static_assert(!SameCall<CUresult (*)(CUstream), api::Result (*)(api::Stream*, unsigned)>::value);

// A macro of cuda.h names the version of the function that a program gets. The declarations must
// name this version, because older ones remain in the library with a different meaning.
#define RAMET_TEXT_OF(x) #x
#define RAMET_TEXT(x) RAMET_TEXT_OF(x)
TEST(CudaApiTest, NamesTheVersionsOfTheToolkitsHeaders) {
  EXPECT_STREQ(RAMET_TEXT(cuDeviceTotalMem), "cuDeviceTotalMem_v2");
  EXPECT_STREQ(RAMET_TEXT(cuCtxPushCurrent), "cuCtxPushCurrent_v2");
  EXPECT_STREQ(RAMET_TEXT(cuCtxPopCurrent), "cuCtxPopCurrent_v2");
  EXPECT_STREQ(RAMET_TEXT(cuDeviceGetUuid), "cuDeviceGetUuid_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemHostRegister), "cuMemHostRegister_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemcpyDtoHAsync), "cuMemcpyDtoHAsync_v2");
  EXPECT_STREQ(RAMET_TEXT(cuMemcpyDtoDAsync), "cuMemcpyDtoDAsync_v2");
  EXPECT_STREQ(RAMET_TEXT(cuStreamDestroy), "cuStreamDestroy_v2");
  EXPECT_STREQ(RAMET_TEXT(cuEventDestroy), "cuEventDestroy_v2");
  EXPECT_STREQ(RAMET_TEXT(cuStreamBeginCapture), "cuStreamBeginCapture_v2");
}

// Functions whose name has no version must not be replaced by a macro with one.
#define RAMET_EXPECT_NO_MACRO(name, symbol, parameters) \
  EXPECT_STREQ(RAMET_TEXT(symbol), #symbol) << "cuda.h has a newer version";
TEST(CudaApiTest, NoFunctionHasANewerVersion) {
  RAMET_CUDA_FUNCTIONS(RAMET_EXPECT_NO_MACRO)
  RAMET_CUDA_GRAPH_FUNCTIONS(RAMET_EXPECT_NO_MACRO)
  RAMET_CUDA_NEWER_FUNCTIONS(RAMET_EXPECT_NO_MACRO)
}

}  // namespace
}  // namespace ramet::gpu::cuda

#else

TEST(CudaApiTest, NamesTheVersionsOfTheToolkitsHeaders) {
  GTEST_SKIP() << "skipped: the headers of the CUDA toolkit are not installed";
}

#endif
