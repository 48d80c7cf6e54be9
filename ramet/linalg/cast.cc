#include "ramet/linalg/cast.h"

#include <algorithm>
#include <complex>
#include <limits>

#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread, as in elementwise.cc.
constexpr int64_t kGrainElements = 16384;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Values out of range convert from float as on x86-64, and so as in TensorFlow there: to the
// smallest int32 or int64, or to the unsigned number with the same bits.
template <class Int, class From>
Int FromFloat(From x) {
  using Signed = std::make_signed_t<Int>;
  constexpr From kMin = static_cast<From>(std::numeric_limits<Signed>::min());
  constexpr From kEnd = std::is_signed_v<Int> ? -kMin : -2 * kMin;
  constexpr Int kNone = static_cast<Int>(std::numeric_limits<Signed>::min());
  const bool fits = x >= kMin && x < kEnd;
  const From bounded = fits ? x : From(0);
  Int value;
  if constexpr (std::is_same_v<Int, uint64_t>) {
    const bool high = bounded >= -kMin;
    value = static_cast<Int>(static_cast<int64_t>(high ? bounded + kMin : bounded));
    value += high ? kNone : 0;
  } else if constexpr (std::is_same_v<Int, uint32_t>) {
    value = static_cast<Int>(static_cast<int64_t>(bounded));
  } else {
    value = static_cast<Int>(bounded);
  }
  return fits ? value : kNone;
}

template <class To, class From>
To Convert(From x) {
  if constexpr (kIsComplex<From> && std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(x.real()),
              static_cast<typename To::value_type>(x.imag()));
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(x.real());
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    // Takes the low bits of the int32, or 0 if it is out of range. A single select, so that it
    // vectorizes.
    const bool fits = x >= From(-0x1p31) && x < From(0x1p31);
    return static_cast<To>(static_cast<int32_t>(fits ? x : From(0)));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return FromFloat<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// Converts in place if x == y, to a type of the same size.
template <class From, class To>
void CastSpan(const void* xv, void* yv, int64_t n) {
  const char* x = static_cast<const char*>(xv);
  char* y = static_cast<char*>(yv);
  for (int64_t i = 0; i < n; ++i) {
    From from;
    __builtin_memcpy(&from, x + i * sizeof(From), sizeof from);
    const To to = Convert<To>(from);
    __builtin_memcpy(y + i * sizeof(To), &to, sizeof to);
  }
}

using CastFn = void (*)(const void* x, void* y, int64_t n);

template <class From>
CastFn CastFrom(Type to) {
  switch (to) {
    case Type::kFloat: return CastSpan<From, float>;
    case Type::kDouble: return CastSpan<From, double>;
    case Type::kInt8: return CastSpan<From, int8_t>;
    case Type::kInt16: return CastSpan<From, int16_t>;
    case Type::kInt32: return CastSpan<From, int32_t>;
    case Type::kInt64: return CastSpan<From, int64_t>;
    case Type::kUint8: return CastSpan<From, uint8_t>;
    case Type::kUint16: return CastSpan<From, uint16_t>;
    case Type::kUint32: return CastSpan<From, uint32_t>;
    case Type::kUint64: return CastSpan<From, uint64_t>;
    case Type::kBool: return CastSpan<From, bool>;
    case Type::kComplex64: return CastSpan<From, std::complex<float>>;
    case Type::kComplex128: return CastSpan<From, std::complex<double>>;
    default: return nullptr;
  }
}

CastFn FindCast(Type from, Type to) {
  switch (from) {
    case Type::kFloat: return CastFrom<float>(to);
    case Type::kDouble: return CastFrom<double>(to);
    case Type::kInt8: return CastFrom<int8_t>(to);
    case Type::kInt16: return CastFrom<int16_t>(to);
    case Type::kInt32: return CastFrom<int32_t>(to);
    case Type::kInt64: return CastFrom<int64_t>(to);
    case Type::kUint8:
    case Type::kBool: return CastFrom<uint8_t>(to);
    case Type::kUint16: return CastFrom<uint16_t>(to);
    case Type::kUint32: return CastFrom<uint32_t>(to);
    case Type::kUint64: return CastFrom<uint64_t>(to);
    case Type::kComplex64: return CastFrom<std::complex<float>>(to);
    case Type::kComplex128: return CastFrom<std::complex<double>>(to);
    default: return nullptr;
  }
}

void CastChunk(Type from, const void* x, Type to, void* y, int64_t n) {
  float source[kHalfChunk];
  float result[kHalfChunk];
  const void* wide = x;
  if (IsHalf(from)) {
    WidenHalf(from, x, source, n);
    wide = source;
  }
  void* target = IsHalf(to) ? result : y;
  FindCast(Widened(from), Widened(to))(wide, target, n);
  if (IsHalf(to)) NarrowHalf(to, result, y, n);
}

}  // namespace

void Cast(Type from, const void* x, Type to, void* y, int64_t n) {
  ParallelFor(n, kGrainElements, [&](int64_t begin, int64_t end) {
    const bool whole = !IsHalf(from) && !IsHalf(to);
    const int64_t chunk = whole ? end - begin : kHalfChunk;
    for (int64_t i = begin; i < end; i += chunk) {
      const int64_t count = std::min(chunk, end - i);
      if (whole) {
        FindCast(from, to)(Advance(from, x, i), Advance(to, y, i), count);
      } else {
        CastChunk(from, Advance(from, x, i), to, Advance(to, y, i), count);
      }
    }
  });
}

}  // namespace ramet::linalg
