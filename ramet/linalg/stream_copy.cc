#include "ramet/linalg/stream_copy.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ramet::linalg {

#ifdef __SSE2__

void StreamCopy(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<__m128i*>(to);
  const auto* in = static_cast<const __m128i*>(from);
  const size_t whole = bytes / sizeof(__m128i);
  for (size_t i = 0; i < whole; ++i) _mm_stream_si128(out + i, _mm_loadu_si128(in + i));
  std::memcpy(out + whole, in + whole, bytes % sizeof(__m128i));
}

void StreamFence() { _mm_sfence(); }

#else

void StreamCopy(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }
void StreamFence() {}

#endif

}  // namespace ramet::linalg
