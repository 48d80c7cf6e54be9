#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ramet/linalg/cpu_level.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/types.h"

namespace ramet::linalg {

inline constexpr float kInf = std::numeric_limits<float>::infinity();

// Returns pseudorandom numbers in (-1, 1), the same in every run.
template <class T = float>
std::vector<T> Noise(int64_t n, uint32_t seed = 1) {
  std::vector<T> values(n);
  uint32_t state = seed * 2654435761u + 12345;
  for (T& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<T>((static_cast<int32_t>(state) >> 8) / 8388608.0);
  }
  return values;
}

// Calls fn at each CPU level that this machine supports.
template <class Fn>
void AtEachLevel(const Fn& fn) {
  const int highest = cpu_level_internal::OverrideForTest(4);
  for (int level = highest == 1 ? 1 : 2; level <= highest; ++level) {
    cpu_level_internal::OverrideForTest(level);
    fn();
  }
}

// Calls fn with 1 to 4 threads. Reports whether all results are equal.
template <class Fn>
bool SameForAnyThreads(const Fn& fn) {
  const int before = IntraOpThreads();
  bool same = true;
  SetIntraOpThreads(1);
  const auto first = fn();
  for (int threads = 2; threads <= 4; ++threads) {
    SetIntraOpThreads(threads);
    same = same && fn() == first;
  }
  SetIntraOpThreads(before);
  return same;
}

}  // namespace ramet::linalg
