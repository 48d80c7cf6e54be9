#include "ramet/linalg/stream_copy.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ramet::linalg {

#ifdef __SSE2__

void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const> next) {
  constexpr size_t kLine = 64, kPerLine = kLine / sizeof(__m128i);
  auto* out = static_cast<__m128i*>(to);
  const auto* in = static_cast<const __m128i*>(from);
  const size_t whole = bytes / sizeof(__m128i), lines = whole / kPerLine;
  for (size_t line = 0; line < lines; ++line) {
    for (const char* data : next) __builtin_prefetch(data + line * kLine);
    for (size_t i = line * kPerLine; i < (line + 1) * kPerLine; ++i) {
      _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
    }
  }
  for (size_t i = lines * kPerLine; i < whole; ++i) {
    _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
  }
  std::memcpy(out + whole, in + whole, bytes % sizeof(__m128i));
}

void StreamFence() { _mm_sfence(); }

#else

void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const>) {
  std::memcpy(to, from, bytes);
}
void StreamFence() {}

#endif

}  // namespace ramet::linalg
