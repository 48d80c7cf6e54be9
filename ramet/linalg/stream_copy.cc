#include "ramet/linalg/stream_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ramet::linalg {

#ifdef __SSE2__

namespace {

constexpr size_t kLine = 64;

// Unrolled by hand, because GCC does not unroll a loop of four.
inline void StreamLine(char* to, const char* from) {
  auto* out = reinterpret_cast<__m128i*>(to);
  const auto* in = reinterpret_cast<const __m128i*>(from);
  const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
  const __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
  _mm_stream_si128(out, a);
  _mm_stream_si128(out + 1, b);
  _mm_stream_si128(out + 2, c);
  _mm_stream_si128(out + 3, d);
}

template <size_t kNext>
void StreamLines(char* to, const char* from, size_t bytes, const char* const* next) {
  std::array<const char*, kNext> fetched;
  std::copy_n(next, kNext, fetched.begin());
  for (size_t i = 0; i < bytes; i += kLine) {
    for (const char* data : fetched) __builtin_prefetch(data + i);
    StreamLine(to + i, from + i);
  }
}

}  // namespace

void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const> next) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  const size_t lines = bytes / kLine * kLine;
  static_assert(kMaxPrefetched == 4);
  switch (next.size()) {
    case 0: StreamLines<0>(out, in, lines, next.data()); break;
    case 1: StreamLines<1>(out, in, lines, next.data()); break;
    case 2: StreamLines<2>(out, in, lines, next.data()); break;
    case 3: StreamLines<3>(out, in, lines, next.data()); break;
    default: StreamLines<4>(out, in, lines, next.data());
  }
  std::memcpy(out + lines, in + lines, bytes - lines);
}

void StreamFence() { _mm_sfence(); }

#else

void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const>) {
  std::memcpy(to, from, bytes);
}
void StreamFence() {}

#endif

}  // namespace ramet::linalg
