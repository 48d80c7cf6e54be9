#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "ramet/linalg/random.h"

// Numbers that TensorFlow makes from the words of a generator. Do not compile BoxMuller with fused
// multiplications, which would change bits.

namespace ramet::linalg {

// Return a number in [0, 1).
inline float UniformFloat(uint32_t x) {
  return std::bit_cast<float>(0x3F800000u | (x & 0x7FFFFFu)) - 1.0f;
}
inline double UniformDouble(uint32_t x0, uint32_t x1) {
  return std::bit_cast<double>(uint64_t{0x3FF00000u | (x0 & 0xFFFFFu)} << 32 | x1) - 1.0;
}

struct FloatPair {
  float first, second;
};
struct DoublePair {
  double first, second;
};

// Return two numbers of the standard normal distribution.
inline FloatPair BoxMuller(uint32_t x0, uint32_t x1) {
  const float u1 = std::max(UniformFloat(x0), 1.0e-7f);
  const float v1 = static_cast<float>(2 * M_PI * UniformFloat(x1));
  const float r = std::sqrt(-2.0f * std::log(u1));
  return {std::sin(v1) * r, std::cos(v1) * r};
}
inline DoublePair BoxMuller(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3) {
  const double u1 = std::max(UniformDouble(x0, x1), 1.0e-7);
  const double v1 = 2 * M_PI * UniformDouble(x2, x3);
  const double r = std::sqrt(-2.0 * std::log(u1));
  return {std::sin(v1) * r, std::cos(v1) * r};
}

// Returns a number in [0, n), all with the same probability, from numbers that random() returns. n
// must be positive.
template <class T, class Random>
T BelowUnbiased(T n, const Random& random) {
  if ((n & (n - 1)) == 0) return random() & (n - 1);
  const T skewed = ~T{0} % n + 1;
  T drawn;
  do {
    drawn = random();
  } while (drawn < skewed);
  return drawn % n;
}

// A WordStream returns the words of a generator one at a time.
class WordStream {
 public:
  explicit WordStream(Philox* generator) : generator_(generator) {}
  uint32_t operator()() {
    if (used_ == 4) {
      words_ = (*generator_)();
      used_ = 0;
    }
    return words_[used_++];
  }
  uint64_t Next64() {
    const uint32_t low = (*this)();
    return uint64_t{(*this)()} << 32 | low;
  }
  float NextFloat() { return UniformFloat((*this)()); }
  double NextDouble() {
    const uint32_t first = (*this)();
    return UniformDouble(first, (*this)());
  }

 private:
  Philox* generator_;
  Philox::Words words_ = {};
  int used_ = 4;
};

}  // namespace ramet::linalg
