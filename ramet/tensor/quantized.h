#pragma once

#include <cstdint>

#include "ramet/tensor/dtype.h"

namespace ramet {

// The elements of quantized tensors: integers whose scale is given by a range next to the tensor.
struct QInt8 {
  int8_t value;
};
struct QUInt8 {
  uint8_t value;
};
struct QInt16 {
  int16_t value;
};
struct QUInt16 {
  uint16_t value;
};
struct QInt32 {
  int32_t value;
};

#define RAMET_QUANTIZED_DTYPE_OF(Type, Name)    \
  template <>                                   \
  struct DTypeOf<Type> {                        \
    static constexpr DType value = DType::Name; \
  };
RAMET_QUANTIZED_DTYPE_OF(QInt8, kQInt8)
RAMET_QUANTIZED_DTYPE_OF(QUInt8, kQUInt8)
RAMET_QUANTIZED_DTYPE_OF(QInt16, kQInt16)
RAMET_QUANTIZED_DTYPE_OF(QUInt16, kQUInt16)
RAMET_QUANTIZED_DTYPE_OF(QInt32, kQInt32)
#undef RAMET_QUANTIZED_DTYPE_OF

}  // namespace ramet

// All quantized types, for the kernel lists of op registrations.
#define RAMET_QUANTIZED \
  ::ramet::QInt8, ::ramet::QUInt8, ::ramet::QInt32, ::ramet::QInt16, ::ramet::QUInt16
