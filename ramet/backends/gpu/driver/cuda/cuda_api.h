#pragma once

#include <cstddef>
#include <cstdint>

// The part of CUDA's driver API and of NVRTC that Ramet uses, so that no header of CUDA is needed
// to build. cuda_api_test.cc compares it with the toolkit's headers where they are installed.
// Source: the CUDA Driver API and NVRTC references, version 11.2 and later.
namespace ramet::gpu::cuda::api {

using Result = int;
using Device = int;
using DevicePointer = uint64_t;

struct Context;
struct Stream;
struct Event;
struct Module;
struct Function;
struct Program;  // of NVRTC
struct Graph;
struct GraphExec;
struct GraphNode;
// CUgraphEdgeData: when a node may start after another one. Zeros mean: after its end.
struct GraphEdge {
  unsigned char ports_and_type[3];
  unsigned char reserved[5];
};

// CUuuid: the bytes that identify a device.
struct Uuid {
  char bytes[16];
};
// CUmemGenericAllocationHandle: memory that can be mapped at several addresses.
using MemoryHandle = unsigned long long;
// CUmemLocation: a device.
struct MemoryLocation {
  int type;  // CU_MEM_LOCATION_TYPE_DEVICE
  int id;    // the device
};
// CUmemAllocationProp: the kind of memory that is allocated.
struct MemoryProperties {
  int type;          // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  MemoryLocation location;
  void* windows_data;
  unsigned char flags[8];
};
// CUmemAccessDesc: the rights of a device on an address range.
struct MemoryAccess {
  MemoryLocation location;
  int flags;  // CU_MEM_ACCESS_FLAGS_...
};

// Calls define(name, value) for each constant, whose name in cuda.h begins with CU or CUDA.
#define RAMET_CUDA_CONSTANTS(define)                                                               \
  define(CUDA_SUCCESS, 0) define(CUDA_ERROR_OUT_OF_MEMORY, 2) define(CUDA_ERROR_STUB_LIBRARY, 34)  \
      define(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) define(CUDA_ERROR_NO_DEVICE, 100) define(          \
          CUDA_ERROR_INVALID_IMAGE, 200) define(CUDA_ERROR_NO_BINARY_FOR_GPU,                      \
                                                209) define(CUDA_ERROR_ECC_UNCORRECTABLE, 214)     \
          define(CUDA_ERROR_INVALID_PTX, 218) define(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) define( \
              CUDA_ERROR_UNSUPPORTED_PTX_VERSION,                                                  \
              222) define(CUDA_ERROR_INVALID_SOURCE, 300) define(CUDA_ERROR_NOT_FOUND, 500)        \
              define(CUDA_ERROR_NOT_READY, 600) define(CUDA_ERROR_ILLEGAL_ADDRESS, 700) define(    \
                  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) define(CUDA_ERROR_LAUNCH_TIMEOUT, 702)  \
                  define(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) define(                             \
                      CUDA_ERROR_ASSERT, 710) define(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)         \
                      define(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) define(                          \
                          CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                      \
                          define(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) define(                    \
                              CUDA_ERROR_INVALID_PC, 718) define(CUDA_ERROR_LAUNCH_FAILED, 719)    \
                              define(CUDA_ERROR_SYSTEM_NOT_READY, 802) define(                     \
                                  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,                               \
                                  803) define(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,           \
                                              804) define(CUDA_ERROR_UNKNOWN, 999)                 \
                                  define(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) define(     \
                                      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,             \
                                      8) define(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)      \
                                      define(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20) define(         \
                                          CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)        \
                                          define(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
                                              define(CU_COMPUTEMODE_PROHIBITED, 2)                 \
                                                  define(CU_STREAM_NON_BLOCKING, 1)                \
                                                      define(CU_EVENT_DISABLE_TIMING, 2) define(   \
                                                          CU_STREAM_CAPTURE_MODE_RELAXED, 2)

// The constants of the order of graphs, and of registered and shared memory.
// clang-format off
#define RAMET_CUDA_ORDER_CONSTANTS(define) \
  define(CU_STREAM_SET_CAPTURE_DEPENDENCIES, 1)
#define RAMET_CUDA_MEMORY_CONSTANTS(define) \
  define(CUDA_ERROR_INVALID_VALUE, 1) \
  define(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
  define(CUDA_ERROR_NOT_PERMITTED, 800) \
  define(CUDA_ERROR_NOT_SUPPORTED, 801) \
  define(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) \
  define(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103) \
  define(CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 113) \
  define(CU_MEMHOSTREGISTER_PORTABLE, 1) \
  define(CU_MEMHOSTREGISTER_READ_ONLY, 8) \
  define(CU_MEM_ALLOCATION_TYPE_PINNED, 1) \
  define(CU_MEM_LOCATION_TYPE_DEVICE, 1) \
  define(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1) \
  define(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0) \
  define(CU_MEM_ACCESS_FLAGS_PROT_READ, 1) \
  define(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)
// clang-format on

#define RAMET_CUDA_CONSTANT(name, value) inline constexpr int k_##name = value;
RAMET_CUDA_CONSTANTS(RAMET_CUDA_CONSTANT)
RAMET_CUDA_MEMORY_CONSTANTS(RAMET_CUDA_CONSTANT)
RAMET_CUDA_ORDER_CONSTANTS(RAMET_CUDA_CONSTANT)
#undef RAMET_CUDA_CONSTANT

// Calls declare(name, symbol, parameters) for each function of the driver. All return Result. The
// symbol may name a version, as cuda.h's macros do.
// clang-format off
#define RAMET_CUDA_FUNCTIONS(declare) \
  declare(Init, cuInit, (unsigned)) \
  declare(DriverGetVersion, cuDriverGetVersion, (int*)) \
  declare(GetErrorName, cuGetErrorName, (Result, const char**)) \
  declare(GetErrorString, cuGetErrorString, (Result, const char**)) \
  declare(DeviceGetCount, cuDeviceGetCount, (int*)) \
  declare(DeviceGet, cuDeviceGet, (Device*, int)) \
  declare(DeviceGetName, cuDeviceGetName, (char*, int, Device)) \
  declare(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t*, Device)) \
  declare(DeviceGetAttribute, cuDeviceGetAttribute, (int*, int, Device)) \
  declare(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context**, Device)) \
  declare(CtxPushCurrent, cuCtxPushCurrent_v2, (Context*)) \
  declare(CtxPopCurrent, cuCtxPopCurrent_v2, (Context**)) \
  declare(CtxSynchronize, cuCtxSynchronize, ()) \
  declare(MemHostRegister, cuMemHostRegister_v2, (void*, size_t, unsigned)) \
  declare(MemHostUnregister, cuMemHostUnregister, (void*)) \
  declare(MemGetAllocationGranularity, cuMemGetAllocationGranularity, \
          (size_t*, const MemoryProperties*, int)) \
  declare(MemCreate, cuMemCreate, \
          (MemoryHandle*, size_t, const MemoryProperties*, unsigned long long)) \
  declare(MemRelease, cuMemRelease, (MemoryHandle)) \
  declare(MemExportToShareableHandle, cuMemExportToShareableHandle, \
          (void*, MemoryHandle, int, unsigned long long)) \
  declare(MemImportFromShareableHandle, cuMemImportFromShareableHandle, \
          (MemoryHandle*, void*, int)) \
  declare(MemGetAllocationPropertiesFromHandle, cuMemGetAllocationPropertiesFromHandle, \
          (MemoryProperties*, MemoryHandle)) \
  declare(MemAddressReserve, cuMemAddressReserve, \
          (DevicePointer*, size_t, size_t, DevicePointer, unsigned long long)) \
  declare(MemAddressFree, cuMemAddressFree, (DevicePointer, size_t)) \
  declare(MemMap, cuMemMap, (DevicePointer, size_t, size_t, MemoryHandle, unsigned long long)) \
  declare(MemUnmap, cuMemUnmap, (DevicePointer, size_t)) \
  declare(MemSetAccess, cuMemSetAccess, (DevicePointer, size_t, const MemoryAccess*, size_t)) \
  declare(MemAlloc, cuMemAlloc_v2, (DevicePointer*, size_t)) \
  declare(MemFree, cuMemFree_v2, (DevicePointer)) \
  declare(MemHostAlloc, cuMemHostAlloc, (void**, size_t, unsigned)) \
  declare(MemFreeHost, cuMemFreeHost, (void*)) \
  declare(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer, const void*, size_t, Stream*)) \
  declare(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void*, DevicePointer, size_t, Stream*)) \
  declare(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream*)) \
  declare(MemsetD8Async, cuMemsetD8Async, (DevicePointer, unsigned char, size_t, Stream*)) \
  declare(StreamCreate, cuStreamCreate, (Stream**, unsigned)) \
  declare(StreamDestroy, cuStreamDestroy_v2, (Stream*)) \
  declare(StreamSynchronize, cuStreamSynchronize, (Stream*)) \
  declare(StreamWaitEvent, cuStreamWaitEvent, (Stream*, Event*, unsigned)) \
  declare(EventCreate, cuEventCreate, (Event**, unsigned)) \
  declare(EventDestroy, cuEventDestroy_v2, (Event*)) \
  declare(EventRecord, cuEventRecord, (Event*, Stream*)) \
  declare(EventQuery, cuEventQuery, (Event*)) \
  declare(EventSynchronize, cuEventSynchronize, (Event*)) \
  declare(ModuleLoadData, cuModuleLoadData, (Module**, const void*)) \
  declare(ModuleUnload, cuModuleUnload, (Module*)) \
  declare(ModuleGetFunction, cuModuleGetFunction, (Function**, Module*, const char*)) \
  declare(LaunchKernel, cuLaunchKernel, \
          (Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
           Stream*, void**, void**))

// Calls declare for the functions of graphs, of CUDA 11.4 and later. A driver may lack them.
#define RAMET_CUDA_GRAPH_FUNCTIONS(declare) \
  declare(StreamBeginCapture, cuStreamBeginCapture_v2, (Stream*, int)) \
  declare(StreamEndCapture, cuStreamEndCapture, (Stream*, Graph**)) \
  declare(GraphInstantiate, cuGraphInstantiateWithFlags, (GraphExec**, Graph*, uint64_t)) \
  declare(GraphLaunch, cuGraphLaunch, (GraphExec*, Stream*)) \
  declare(GraphExecDestroy, cuGraphExecDestroy, (GraphExec*)) \
  declare(GraphDestroy, cuGraphDestroy, (Graph*))
// Functions that drivers of CUDA 11.2 may lack; then the pointer is null.
#define RAMET_CUDA_NEWER_FUNCTIONS(declare) \
  declare(DeviceGetUuid, cuDeviceGetUuid_v2, (Uuid*, Device))
// Functions of CUDA 12.3 and later, which order the nodes of a graph; also null.
#define RAMET_CUDA_ORDER_FUNCTIONS(declare) \
  declare(StreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, \
          (Stream*, int*, uint64_t*, Graph**, GraphNode* const**, const GraphEdge**, \
           size_t*)) \
  declare(StreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, \
          (Stream*, GraphNode* const*, const GraphEdge*, size_t, unsigned))

// Calls declare(name, symbol, parameters) for each function of NVRTC, which returns a Result; 0 is
// success.
#define RAMET_NVRTC_FUNCTIONS(declare) \
  declare(Version, nvrtcVersion, (int*, int*)) \
  declare(GetNumSupportedArchs, nvrtcGetNumSupportedArchs, (int*)) \
  declare(GetSupportedArchs, nvrtcGetSupportedArchs, (int*)) \
  declare(CreateProgram, nvrtcCreateProgram, \
          (Program**, const char*, const char*, int, const char* const*, const char* const*)) \
  declare(DestroyProgram, nvrtcDestroyProgram, (Program**)) \
  declare(CompileProgram, nvrtcCompileProgram, (Program*, int, const char* const*)) \
  declare(GetProgramLogSize, nvrtcGetProgramLogSize, (Program*, size_t*)) \
  declare(GetProgramLog, nvrtcGetProgramLog, (Program*, char*)) \
  declare(GetCUBINSize, nvrtcGetCUBINSize, (Program*, size_t*)) \
  declare(GetCUBIN, nvrtcGetCUBIN, (Program*, char*)) \
  declare(GetPTXSize, nvrtcGetPTXSize, (Program*, size_t*)) \
  declare(GetPTX, nvrtcGetPTX, (Program*, char*))
// clang-format on

}  // namespace ramet::gpu::cuda::api
