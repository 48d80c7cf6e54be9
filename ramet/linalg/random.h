#pragma once

#include <array>
#include <cstdint>

#include "ramet/linalg/types.h"

// TensorFlow's CPU random numbers, bit for bit, for any number of intra-op threads.

namespace ramet::linalg {

// A Philox is the counter-based generator Philox4x32-10 (Salmon et al., "Parallel random numbers:
// as easy as 1, 2, 3"), seeded and advanced as in TensorFlow. A plain value.
class Philox {
 public:
  using Words = std::array<uint32_t, 4>;

  Philox() = default;
  // key = seed, counter = (0, 0, seed2).
  Philox(uint64_t seed, uint64_t seed2);
  Philox(const Words& counter, const std::array<uint32_t, 2>& key) : counter_(counter), key_(key) {}

  // Returns the next four words.
  Words operator()();
  // Skips `count` draws of four words.
  void Skip(uint64_t count);

  const Words& counter() const { return counter_; }
  const std::array<uint32_t, 2>& key() const { return key_; }

 private:
  Words counter_ = {};
  std::array<uint32_t, 2> key_ = {};
};

// Returns by how much a kernel must Skip its generator after a run with `count` output elements.
// (The Fill functions take a copy and do not advance the caller's generator.)
inline constexpr uint64_t PhiloxReserved(int64_t count) {
  return 256 * static_cast<uint64_t>(count);
}

// n values, uniform in [0, 1). half, bfloat16, float, double.
void FillUniform(Type type, Philox generator, void* y, int64_t n);
// n values, uniform in [low, high), or all values of the type if low == high. int32, int64, and the
// bits of uint32 and uint64.
void FillUniformInt(Type type, Philox generator, int64_t low, int64_t high, void* y, int64_t n);
// n values of the standard normal distribution. half, bfloat16, float, double.
void FillNormal(Type type, Philox generator, void* y, int64_t n);
// n values of the normal distribution without those of magnitude 2 or more.
void FillTruncatedNormal(Type type, Philox generator, void* y, int64_t n);

// y = the permutation of 0..n-1 in which RandomShuffle orders rows. Advances `generator` as the
// kernel does. int32 or int64.
void FillShuffle(Type index_type, Philox* generator, void* y, int64_t n);

}  // namespace ramet::linalg
