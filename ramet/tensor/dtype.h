#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/float16.h"
#include "ramet/base/status.h"

namespace ramet {

// The element types, numbered as in tensorflow.DataType (tensorflow/core/framework/types.proto).
// The number of a reference type is that of its base type + 100.
enum class DType : int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};

inline constexpr DType kFloat = DType::kFloat;
inline constexpr DType kDouble = DType::kDouble;
inline constexpr DType kInt8 = DType::kInt8;
inline constexpr DType kInt16 = DType::kInt16;
inline constexpr DType kInt32 = DType::kInt32;
inline constexpr DType kInt64 = DType::kInt64;
inline constexpr DType kUInt8 = DType::kUInt8;
inline constexpr DType kUInt16 = DType::kUInt16;
inline constexpr DType kUInt32 = DType::kUInt32;
inline constexpr DType kUInt64 = DType::kUInt64;
inline constexpr DType kHalf = DType::kHalf;
inline constexpr DType kBFloat16 = DType::kBFloat16;
inline constexpr DType kComplex64 = DType::kComplex64;
inline constexpr DType kComplex128 = DType::kComplex128;
inline constexpr DType kBool = DType::kBool;
inline constexpr DType kString = DType::kString;

inline constexpr int kRefOffset = 100;
constexpr bool IsRef(DType t) { return static_cast<int>(t) > kRefOffset; }
constexpr DType BaseType(DType t) {
  return IsRef(t) ? static_cast<DType>(static_cast<int>(t) - kRefOffset) : t;
}
constexpr DType RefType(DType t) {
  return IsRef(t) ? t : static_cast<DType>(static_cast<int>(t) + kRefOffset);
}

// Returns the runtime's short name ("float", "int32", "float_ref"), or "dtype 77" for an unknown
// number.
RAMET_EXPORT std::string DTypeName(DType t);
// Prints DTypeName.
RAMET_EXPORT std::ostream& operator<<(std::ostream& out, DType t);
// Parses a short name, a name of the Python client (float32, float64, float16) or a DT_* name.
// \error kInvalidArgument: the name is unknown.
RAMET_EXPORT StatusOr<DType> ParseDType(std::string_view name);
// Returns the bytes per element; 0 for unknown types and types without a flat representation
// (string, resource, variant).
RAMET_EXPORT size_t DTypeSize(DType t);
// Reports whether `t` is one of the types above or a reference to one.
RAMET_EXPORT bool IsKnownDType(DType t);
RAMET_EXPORT bool IsFloating(DType t);   // half, bfloat16, float, double
RAMET_EXPORT bool IsComplex(DType t);    // complex64, complex128
RAMET_EXPORT bool IsInteger(DType t);    // int8..int64, uint8..uint64 (not quantized)
RAMET_EXPORT bool IsQuantized(DType t);  // qint8, quint8, qint16, quint16, qint32

// DTypeOf<float>::value is DType::kFloat, and so on.
template <class T>
struct DTypeOf;
#define RAMET_DTYPE_OF(Type, Name)              \
  template <>                                   \
  struct DTypeOf<Type> {                        \
    static constexpr DType value = DType::Name; \
  };
RAMET_DTYPE_OF(float, kFloat)
RAMET_DTYPE_OF(double, kDouble)
RAMET_DTYPE_OF(int8_t, kInt8)
RAMET_DTYPE_OF(int16_t, kInt16)
RAMET_DTYPE_OF(int32_t, kInt32)
RAMET_DTYPE_OF(int64_t, kInt64)
RAMET_DTYPE_OF(uint8_t, kUInt8)
RAMET_DTYPE_OF(uint16_t, kUInt16)
RAMET_DTYPE_OF(uint32_t, kUInt32)
RAMET_DTYPE_OF(uint64_t, kUInt64)
RAMET_DTYPE_OF(Half, kHalf)
RAMET_DTYPE_OF(BFloat16, kBFloat16)
RAMET_DTYPE_OF(std::complex<float>, kComplex64)
RAMET_DTYPE_OF(std::complex<double>, kComplex128)
RAMET_DTYPE_OF(bool, kBool)
RAMET_DTYPE_OF(std::string, kString)
#undef RAMET_DTYPE_OF

}  // namespace ramet
