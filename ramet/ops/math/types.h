#pragma once

#include <complex>
#include <cstdint>

#include "ramet/base/float16.h"
#include "ramet/linalg/types.h"
#include "ramet/ops/array/args.h"
#include "ramet/tensor/dtype.h"

// Groups of element types, for the kernel lists of op registrations.
#define RAMET_FLOATS ::ramet::BFloat16, ::ramet::Half, float, double
#define RAMET_COMPLEX std::complex<float>, std::complex<double>
#define RAMET_SIGNED int8_t, int16_t, int32_t, int64_t
#define RAMET_UNSIGNED uint8_t, uint16_t, uint32_t, uint64_t
#define RAMET_REALS RAMET_FLOATS, RAMET_SIGNED, RAMET_UNSIGNED
#define RAMET_NUMBERS RAMET_REALS, RAMET_COMPLEX

namespace ramet {

// Attr definitions that many TensorFlow ops share.
inline constexpr char kAttrFloats[] = "T: {bfloat16, half, float, double}";
inline constexpr char kAttrFloatsAndComplex[] =
    "T: {bfloat16, half, float, double, complex64, complex128}";

// The inverse of LinalgType(DType): linalg numbers its types as DType does.
constexpr DType FromLinalg(linalg::Type t) { return static_cast<DType>(t); }

}  // namespace ramet
