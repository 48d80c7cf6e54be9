#pragma once

#include <cstddef>
#include <cstdint>

// The part of the OpenCL 1.2 API that Ramet uses, so that no header of OpenCL is needed to build.
// opencl_api_test.cc compares it with the system's headers where they are installed. Source: the
// OpenCL 1.2 specification (Khronos, 2012).
namespace ramet::gpu::opencl::api {

using Int = int32_t;
using UInt = uint32_t;
using ULong = uint64_t;
using Bool = UInt;
using Bits = ULong;
using Properties = intptr_t;

struct Platform;
struct Device;
struct Context;
struct CommandQueue;
struct Mem;
struct Program;
struct Kernel;
struct Event;

using ContextCallback = void (*)(const char* text, const void* data, size_t bytes, void* user);
using ProgramCallback = void (*)(Program* program, void* user);

// Calls define(name, value) for each constant.
#define RAMET_OPENCL_CONSTANTS(define)                                                             \
  define(SUCCESS, 0) define(DEVICE_NOT_FOUND, -1) define(COMPILER_NOT_AVAILABLE, -3)               \
      define(MEM_OBJECT_ALLOCATION_FAILURE, -4) define(OUT_OF_RESOURCES, -5) define(               \
          OUT_OF_HOST_MEMORY, -6) define(BUILD_PROGRAM_FAILURE, -11) define(INVALID_VALUE, -30)    \
          define(INVALID_BINARY, -42) define(INVALID_KERNEL_NAME, -46) define(                     \
              INVALID_BUFFER_SIZE, -61) define(COMPLETE, 0) define(TRUE, 1) define(FALSE, 0)       \
              define(PLATFORM_VERSION, 0x0901) define(PLATFORM_NAME, 0x0902) define(               \
                  DEVICE_TYPE_CPU, 1 << 1) define(DEVICE_TYPE_GPU, 1 << 2)                         \
                  define(DEVICE_TYPE_ACCELERATOR, 1 << 3) define(DEVICE_TYPE, 0x1000) define(      \
                      DEVICE_MAX_COMPUTE_UNITS, 0x1002) define(DEVICE_MAX_WORK_GROUP_SIZE, 0x1004) \
                      define(DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010) define(                            \
                          DEVICE_GLOBAL_MEM_SIZE, 0x101F) define(DEVICE_LOCAL_MEM_SIZE, 0x1023)    \
                          define(DEVICE_AVAILABLE, 0x1027) define(                                 \
                              DEVICE_COMPILER_AVAILABLE, 0x1028) define(DEVICE_NAME, 0x102B)       \
                              define(DEVICE_VENDOR, 0x102C) define(DRIVER_VERSION, 0x102D) define( \
                                  DEVICE_VERSION, 0x102F) define(DEVICE_DOUBLE_FP_CONFIG, 0x1032)  \
                                  define(MEM_READ_WRITE, 1 << 0)                                   \
                                      define(PROGRAM_BINARY_SIZES, 0x1165)                         \
                                          define(PROGRAM_BINARIES, 0x1166)                         \
                                              define(PROGRAM_BUILD_LOG, 0x1183)                    \
                                                  define(EVENT_COMMAND_EXECUTION_STATUS, 0x11D3)

#define RAMET_OPENCL_CONSTANT(name, value) inline constexpr int k_##name = value;
RAMET_OPENCL_CONSTANTS(RAMET_OPENCL_CONSTANT)
#undef RAMET_OPENCL_CONSTANT

// Calls declare(result, name, parameters) for each function.
// clang-format off
#define RAMET_OPENCL_FUNCTIONS(declare) \
  declare(Int, GetPlatformIDs, (UInt, Platform**, UInt*)) \
  declare(Int, GetPlatformInfo, (Platform*, UInt, size_t, void*, size_t*)) \
  declare(Int, GetDeviceIDs, (Platform*, Bits, UInt, Device**, UInt*)) \
  declare(Int, GetDeviceInfo, (Device*, UInt, size_t, void*, size_t*)) \
  declare(Context*, CreateContext, \
          (const Properties*, UInt, Device* const*, ContextCallback, void*, Int*)) \
  declare(CommandQueue*, CreateCommandQueue, (Context*, Device*, Bits, Int*)) \
  declare(Int, ReleaseCommandQueue, (CommandQueue*)) \
  declare(Mem*, CreateBuffer, (Context*, Bits, size_t, void*, Int*)) \
  declare(Int, ReleaseMemObject, (Mem*)) \
  declare(Program*, CreateProgramWithSource, (Context*, UInt, const char**, const size_t*, Int*)) \
  declare(Program*, CreateProgramWithBinary, \
          (Context*, UInt, Device* const*, const size_t*, const unsigned char**, Int*, Int*)) \
  declare(Int, BuildProgram, \
          (Program*, UInt, Device* const*, const char*, ProgramCallback, void*)) \
  declare(Int, GetProgramInfo, (Program*, UInt, size_t, void*, size_t*)) \
  declare(Int, GetProgramBuildInfo, (Program*, Device*, UInt, size_t, void*, size_t*)) \
  declare(Int, ReleaseProgram, (Program*)) \
  declare(Kernel*, CreateKernel, (Program*, const char*, Int*)) \
  declare(Int, SetKernelArg, (Kernel*, UInt, size_t, const void*)) \
  declare(Int, ReleaseKernel, (Kernel*)) \
  declare(Int, EnqueueNDRangeKernel, \
          (CommandQueue*, Kernel*, UInt, const size_t*, const size_t*, const size_t*, \
           UInt, Event* const*, Event**)) \
  declare(Int, EnqueueReadBuffer, \
          (CommandQueue*, Mem*, Bool, size_t, size_t, void*, UInt, Event* const*, Event**)) \
  declare(Int, EnqueueWriteBuffer, \
          (CommandQueue*, Mem*, Bool, size_t, size_t, const void*, UInt, Event* const*, Event**)) \
  declare(Int, EnqueueCopyBuffer, \
          (CommandQueue*, Mem*, Mem*, size_t, size_t, size_t, UInt, Event* const*, Event**)) \
  declare(Int, EnqueueFillBuffer, \
          (CommandQueue*, Mem*, const void*, size_t, size_t, size_t, UInt, Event* const*, \
           Event**)) \
  declare(Int, EnqueueMarkerWithWaitList, (CommandQueue*, UInt, Event* const*, Event**)) \
  declare(Int, EnqueueBarrierWithWaitList, (CommandQueue*, UInt, Event* const*, Event**)) \
  declare(Int, WaitForEvents, (UInt, Event* const*)) \
  declare(Int, GetEventInfo, (Event*, UInt, size_t, void*, size_t*)) \
  declare(Int, ReleaseEvent, (Event*)) \
  declare(Int, Flush, (CommandQueue*)) \
  declare(Int, Finish, (CommandQueue*))
// clang-format on

}  // namespace ramet::gpu::opencl::api
