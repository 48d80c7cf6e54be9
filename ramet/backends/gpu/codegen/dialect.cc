#include "ramet/backends/gpu/codegen/dialect.h"

#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

constexpr std::string_view kOpenClPrelude = R"(
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#define KERNEL(name) __kernel void name
#define BOUNDED_KERNEL(name, items, groups) KERNEL(name)
#define FUNCTION static inline
#define INLINE_FUNCTION static inline
#define UNROLL
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER __local
#define TABLE __constant
#define RESTRICT restrict
#define GROUP_ID(d) ((int)get_group_id(d))
#define LOCAL_ID(d) ((int)get_local_id(d))
#define GROUP_SIZE(d) ((int)get_local_size(d))
#define GROUPS(d) ((int)get_num_groups(d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
#define AS_U32(x) as_uint(x)
#define AS_F32(x) as_float(x)
#define AS_U64(x) as_ulong(x)
#define AS_F64(x) as_double(x)
#define FMA(a, b, c) fma(a, b, c)
#define ATOMIC_ADD_I32(p, v) atomic_add(p, v)
#define ATOMIC_MAX_I32(p, v) atomic_max(p, v)
#define ATOMIC_SWAP_U32(p, old, v) atomic_cmpxchg((volatile GLOBAL u32*)(p), old, v)
#define ATOMIC_SWAP_U64(p, old, v) atom_cmpxchg((volatile GLOBAL u64*)(p), old, v)
FUNCTION void ATOMIC_ADD_F32(volatile GLOBAL f32* p, f32 v) {
  volatile GLOBAL u32* bits = (volatile GLOBAL u32*)p;
  u32 old = *bits;
  for (;;) {
    const u32 seen = atomic_cmpxchg(bits, old, AS_U32(AS_F32(old) + v));
    if (seen == old) return;
    old = seen;
  }
}
)";

constexpr std::string_view kCudaPrelude = R"(
#define KERNEL(name) extern "C" __global__ void name
#define BOUNDED_KERNEL(name, items, groups) \
  extern "C" __global__ void __launch_bounds__(items, groups) name
#define FUNCTION static __device__ inline
#define INLINE_FUNCTION static __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER
#define TABLE static __device__ const
#define RESTRICT __restrict__
FUNCTION int RAMET_XYZ(uint3 v, int d) { return (int)(d == 0 ? v.x : d == 1 ? v.y : v.z); }
FUNCTION int RAMET_XYZ(dim3 v, int d) { return (int)(d == 0 ? v.x : d == 1 ? v.y : v.z); }
#define GROUP_ID(d) RAMET_XYZ(blockIdx, d)
#define LOCAL_ID(d) RAMET_XYZ(threadIdx, d)
#define GROUP_SIZE(d) RAMET_XYZ(blockDim, d)
#define GROUPS(d) RAMET_XYZ(gridDim, d)
#define BARRIER() __syncthreads()
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
#define AS_U32(x) __float_as_uint(x)
#define AS_F32(x) __uint_as_float(x)
#define AS_U64(x) ((u64)__double_as_longlong(x))
#define AS_F64(x) __longlong_as_double((i64)(x))
#define FMA(a, b, c) fma(a, b, c)
#define ATOMIC_ADD_I32(p, v) atomicAdd(p, v)
#define ATOMIC_MAX_I32(p, v) atomicMax(p, v)
#define ATOMIC_SWAP_U32(p, old, v) atomicCAS(p, old, v)
#define ATOMIC_SWAP_U64(p, old, v) atomicCAS(p, old, v)
#define ATOMIC_ADD_F32(p, v) atomicAdd(p, v)
)";

// The conversions have the results of ramet/base/float16.h.
constexpr std::string_view kCommonPrelude = R"(
#define GLOBAL_ID(d) ((index_t)GROUP_ID(d) * GROUP_SIZE(d) + LOCAL_ID(d))
#define GLOBAL_SIZE(d) ((index_t)GROUPS(d) * GROUP_SIZE(d))
#define DIVIDE(a, b) ((index_t)((unsigned_index_t)(a) / (unsigned_index_t)(b)))
#define FOR_EACH(i, n) for (index_t i = GLOBAL_ID(0); i < (n); i += GLOBAL_SIZE(0))

FUNCTION f32 f16_to_f32(u16 bits) {
  const u32 sign = ((u32)bits & 0x8000u) << 16;
  const u32 rest = (u32)bits & 0x7FFFu;
  if (rest >= 0x7C00u) return AS_F32(sign | 0x7F800000u | ((rest & 0x3FFu) << 13));
  const u32 normal = (rest << 13) + 0x38000000u;
  return AS_F32((rest >= 0x400u ? normal : AS_U32((f32)rest * 0x1p-24f)) | sign);
}
FUNCTION u16 f16_of_f32(f32 f) {
  u32 u = AS_U32(f);
  const u32 sign = (u >> 16) & 0x8000u;
  u &= 0x7FFFFFFFu;
  if (u > 0x7F800000u) return (u16)(sign | 0x7E00u);
  if (u >= 0x477FF000u) return (u16)(sign | 0x7C00u);
  if (u < 0x38800000u) return (u16)(sign | (AS_U32(AS_F32(u) + 0.5f) - 0x3F000000u));
  return (u16)(sign | ((u - 0x38000000u + 0xFFFu + ((u >> 13) & 1u)) >> 13));
}
FUNCTION f32 bf16_to_f32(u16 bits) { return AS_F32((u32)bits << 16); }
FUNCTION u16 bf16_of_f32(f32 f) {
  const u32 u = AS_U32(f);
  if ((u & 0x7FFFFFFFu) > 0x7F800000u) return (u16)((u >> 16) | 0x40u);
  return (u16)((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16);
}

#define RAMET_JOIN_(a, b) a##b
#define RAMET_JOIN(a, b) RAMET_JOIN_(a, b)
#define STORED(T) RAMET_JOIN(stored_, T)
#define VALUE(T) RAMET_JOIN(value_, T)
#define LOAD(T, p, i) RAMET_JOIN(load_, T)((p)[i])
#define STORE(T, p, i, v) ((p)[i] = RAMET_JOIN(store_, T)(v))
#define RAMET_PLAIN(T) \
  typedef T RAMET_JOIN(stored_, T); \
  typedef T RAMET_JOIN(value_, T);
#define load_i8(x) (x)
#define store_i8(v) ((i8)(v))
#define load_u8(x) (x)
#define store_u8(v) ((u8)(v))
#define load_i16(x) (x)
#define store_i16(v) ((i16)(v))
#define load_u16(x) (x)
#define store_u16(v) ((u16)(v))
#define load_i32(x) (x)
#define store_i32(v) ((i32)(v))
#define load_u32(x) (x)
#define store_u32(v) ((u32)(v))
#define load_i64(x) (x)
#define store_i64(v) ((i64)(v))
#define load_u64(x) (x)
#define store_u64(v) ((u64)(v))
#define load_f32(x) (x)
#define store_f32(v) ((f32)(v))
RAMET_PLAIN(i8)
RAMET_PLAIN(u8)
RAMET_PLAIN(i16)
RAMET_PLAIN(u16)
RAMET_PLAIN(i32)
RAMET_PLAIN(u32)
RAMET_PLAIN(i64)
RAMET_PLAIN(u64)
RAMET_PLAIN(f32)
typedef u16 stored_f16;
typedef f32 value_f16;
#define load_f16(x) f16_to_f32(x)
#define store_f16(v) f16_of_f32(v)
typedef u16 stored_bf16;
typedef f32 value_bf16;
#define load_bf16(x) bf16_to_f32(x)
#define store_bf16(v) bf16_of_f32(v)
typedef u8 stored_b8;
typedef i32 value_b8;
#define load_b8(x) ((i32)((x) != 0))
#define store_b8(v) ((u8)((v) != 0))
)";

constexpr std::string_view kDoublePrelude = R"(
typedef double f64;
#define load_f64(x) (x)
#define store_f64(v) ((f64)(v))
RAMET_PLAIN(f64)
)";

}  // namespace

std::string_view DialectTag(DType dtype) {
  switch (dtype) {
    case kFloat: return "f32";
    case kDouble: return "f64";
    case kHalf: return "f16";
    case kBFloat16: return "bf16";
    case kInt8: return "i8";
    case kInt16: return "i16";
    case kInt32: return "i32";
    case kInt64: return "i64";
    case kUInt8: return "u8";
    case kUInt16: return "u16";
    case kUInt32: return "u32";
    case kUInt64: return "u64";
    case kBool: return "b8";
    default: return "";
  }
}

std::string DialectPrelude(Language language, bool has_double, bool has_large_indices) {
  const bool cuda = language == Language::kCudaCpp;
  std::string prelude;
  if (has_double && !cuda) prelude += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (has_double) prelude += "#define HAS_DOUBLE 1\n";
  prelude += cuda ? kCudaPrelude : kOpenClPrelude;
  prelude += has_large_indices ? "typedef i64 index_t;\ntypedef u64 unsigned_index_t;\n"
                               : "typedef i32 index_t;\ntypedef u32 unsigned_index_t;\n";
  prelude += kCommonPrelude;
  if (has_double) prelude += kDoublePrelude;
  return prelude;
}

std::string DialectOptions(Language language) {
  return language == Language::kCudaCpp ? "-fmad=false -default-device" : "-cl-std=CL1.2";
}

}  // namespace ramet::gpu
