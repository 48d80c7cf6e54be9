#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "ramet/base/float16.h"

namespace ramet::linalg {

// The element types of linalg, numbered as tensorflow.DataType, so that the DType of higher layers
// converts by static_cast. Spans are passed as void pointers and must be aligned to their element.
// kHalf is IEEE binary16, kBfloat16 the upper half of a float, kBool one byte (0 or 1).
enum class Type : int {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};
inline constexpr int kNumTypes = 24;

// Returns the bytes per element; 0 for an unknown type.
constexpr int64_t TypeSize(Type type) {
  switch (type) {
    case Type::kInt8:
    case Type::kUint8:
    case Type::kBool: return 1;
    case Type::kInt16:
    case Type::kUint16:
    case Type::kHalf:
    case Type::kBfloat16: return 2;
    case Type::kFloat:
    case Type::kInt32:
    case Type::kUint32: return 4;
    case Type::kDouble:
    case Type::kInt64:
    case Type::kUint64:
    case Type::kComplex64: return 8;
    case Type::kComplex128: return 16;
  }
  return 0;
}

template <class T>
struct TypeOfImpl;
#define RAMET_LINALG_TYPE(CPP, NAME)             \
  template <>                                    \
  struct TypeOfImpl<CPP> {                       \
    static constexpr Type value = Type::k##NAME; \
  };
RAMET_LINALG_TYPE(float, Float)
RAMET_LINALG_TYPE(double, Double)
RAMET_LINALG_TYPE(Half, Half)
RAMET_LINALG_TYPE(BFloat16, Bfloat16)
RAMET_LINALG_TYPE(int8_t, Int8)
RAMET_LINALG_TYPE(int16_t, Int16)
RAMET_LINALG_TYPE(int32_t, Int32)
RAMET_LINALG_TYPE(int64_t, Int64)
RAMET_LINALG_TYPE(uint8_t, Uint8)
RAMET_LINALG_TYPE(uint16_t, Uint16)
RAMET_LINALG_TYPE(uint32_t, Uint32)
RAMET_LINALG_TYPE(uint64_t, Uint64)
RAMET_LINALG_TYPE(bool, Bool)
RAMET_LINALG_TYPE(std::complex<float>, Complex64)
RAMET_LINALG_TYPE(std::complex<double>, Complex128)
#undef RAMET_LINALG_TYPE

// TypeOf<float> is Type::kFloat and so on.
template <class T>
inline constexpr Type TypeOf = TypeOfImpl<T>::value;

}  // namespace ramet::linalg
