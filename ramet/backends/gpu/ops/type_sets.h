#pragma once

#include <span>

#include "ramet/tensor/dtype.h"

namespace ramet::gpu {

// The dtypes of kernels on GPUs, in groups.
inline constexpr DType kFloatTypes[] = {kFloat, kHalf, kBFloat16, kDouble};
inline constexpr DType kIntTypes[] = {kInt8,  kInt16,  kInt32,  kInt64,
                                      kUInt8, kUInt16, kUInt32, kUInt64};
inline constexpr DType kRealTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,   kInt16,
                                       kInt32, kInt64, kUInt8,    kUInt16, kUInt32, kUInt64};
inline constexpr DType kAllTypes[] = {kFloat, kHalf,  kBFloat16, kDouble, kInt8,   kInt16, kInt32,
                                      kInt64, kUInt8, kUInt16,   kUInt32, kUInt64, kBool};

}  // namespace ramet::gpu
