#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/tables.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace ramet::linalg::RAMET_LEVEL {
namespace {

uint32_t BitsOf(float f) {
  uint32_t u;
  __builtin_memcpy(&u, &f, sizeof u);
  return u;
}
float FloatOf(uint32_t u) {
  float f;
  __builtin_memcpy(&f, &u, sizeof f);
  return f;
}

uint16_t ToBfloat16(float f) {
  const uint32_t u = BitsOf(f);
  const uint32_t rounded = (u + 0x7FFFu + ((u >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(f != f ? (u >> 16) | 0x40u : rounded);
}

void BfloatsToFloats(const void* xv, void* yv, int64_t n) {
  const uint16_t* x = static_cast<const uint16_t*>(xv);
  float* y = static_cast<float*>(yv);
  for (int64_t i = 0; i < n; ++i) y[i] = FloatOf(uint32_t{x[i]} << 16);
}

void FloatsToBfloats(const void* xv, void* yv, int64_t n) {
  const float* x = static_cast<const float*>(xv);
  uint16_t* y = static_cast<uint16_t*>(yv);
  for (int64_t i = 0; i < n; ++i) y[i] = ToBfloat16(x[i]);
}

// Uses whole vectors only, because the scalar conversion keeps other bits of a NaN.
void HalvesToFloats(const void* xv, void* yv, int64_t n) {
  const uint16_t* x = static_cast<const uint16_t*>(xv);
  float* y = static_cast<float*>(yv);
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(h));
  }
  if (i < n) {
    uint16_t rest[8] = {};
    float made[8];
    __builtin_memcpy(rest, x + i, (n - i) * sizeof *rest);
    const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rest));
    _mm256_storeu_ps(made, _mm256_cvtph_ps(h));
    __builtin_memcpy(y + i, made, (n - i) * sizeof *made);
  }
#else
  for (; i < n; ++i) y[i] = static_cast<float>(Half::FromBits(x[i]));
#endif
}

void FloatsToHalves(const void* xv, void* yv, int64_t n) {
  const float* x = static_cast<const float*>(xv);
  uint16_t* y = static_cast<uint16_t*>(yv);
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), h);
  }
  if (i < n) {
    float rest[8] = {};
    uint16_t made[8];
    __builtin_memcpy(rest, x + i, (n - i) * sizeof *rest);
    const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(rest), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(made), h);
    __builtin_memcpy(y + i, made, (n - i) * sizeof *made);
  }
#else
  for (; i < n; ++i) y[i] = Half(x[i]).bits;
#endif
}

}  // namespace

void AddConversions(KernelTable& t) {
  t.half_to_float = HalvesToFloats;
  t.float_to_half = FloatsToHalves;
  t.bfloat16_to_float = BfloatsToFloats;
  t.float_to_bfloat16 = FloatsToBfloats;
}

}  // namespace ramet::linalg::RAMET_LEVEL
