#pragma once

#include <string>
#include <string_view>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/tensor/dtype.h"

// Kernels are written in a dialect of C that macros map to OpenCL C and to CUDA C++. It has:
//
//   KERNEL(name)(GLOBAL const STORED(T)* x, ...) { ... }     a kernel
//   BOUNDED_KERNEL(name, items, groups)(...) { ... }         a kernel for groups of up to `items`
//                                                            items, with as many registers as fit
//                                                            `groups` groups on a unit
//   FUNCTION, GLOBAL, LOCAL, RESTRICT                        function and address space qualifiers
//   INLINE_FUNCTION                                          a function without calls
//   UNROLL                                                   before a loop with a constant length
//   LOCAL_POINTER, TABLE                                     of pointers to LOCAL, of constants
//   GROUP_ID(d), LOCAL_ID(d), GROUP_SIZE(d), GROUPS(d),      positions in dimension d
//   GLOBAL_ID(d), GLOBAL_SIZE(d)
//   FOR_EACH(i, n) { ... }                                   loops over i < n, by all work items
//   BARRIER()                                                of a work group, for LOCAL memory
//   i8 ... i64, u8 ... u64, f32, f64, index_t                types of values
//   AS_U32(x), AS_F32(x), AS_U64(x), AS_F64(x)               casts of bits
//   DIVIDE(a, b)                                             a / b of type index_t, a >= 0, b > 0
//   FMA(a, b, c), ATOMIC_ADD_I32(p, v), ATOMIC_ADD_F32(p, v)
//   ATOMIC_MAX_I32(p, v), ATOMIC_SWAP_U64(p, old, v)         the latter compares with `old` first
//
// T above stands for the tag of a dtype (DialectTag), usually a macro that the kernel's definitions
// set. Values of some dtypes are stored in another type than the one that they are computed in:
//
//   STORED(T)         the type in memory
//   VALUE(T)          the type of values in registers: f32 for f16 and bf16, i32 for b8
//   LOAD(T, p, i)     reads p[i] as a VALUE(T)
//   STORE(T, p, i, v) writes v to p[i], rounded to nearest even
//
// index_t is a 32-bit integer unless a tensor of the launch has 2^31 elements or more. Products and
// sums are not contracted to fused multiply-adds; use FMA where it is wanted.
namespace ramet::gpu {

// Returns the tag of a dtype in the dialect, such as "f32", or "" if kernels cannot compute on it.
std::string_view DialectTag(DType dtype);

// Returns the definitions of the dialect, which come before the source of each kernel.
std::string DialectPrelude(Language language, bool has_double, bool has_large_indices);

// Returns the compiler's options for all kernels in a language.
std::string DialectOptions(Language language);

}  // namespace ramet::gpu
