#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ramet::fuzz {

// A Random is a stream of pseudorandom numbers (SplitMix64), the same on every machine for the same
// seed. Not thread-safe.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A separate stream for each case of a seed.
  Random(uint64_t seed, uint64_t index) : state_(seed * 0x9E3779B97F4A7C15u + index) { Next(); }

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // Returns a number in [0, n); 0 for n <= 1.
  int64_t Below(int64_t n) { return n <= 1 ? 0 : static_cast<int64_t>(Next() % n); }
  // Returns a number in [low, high].
  int64_t In(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  // Returns true for `percent` of 100 calls.
  bool Percent(int percent) { return Below(100) < percent; }
  // Returns a number in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(Below(static_cast<int64_t>(from.size())))];
  }
  template <class T>
  T Pick(std::initializer_list<T> from) {
    return from.begin()[Below(static_cast<int64_t>(from.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace ramet::fuzz
