#include "ramet/linalg/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ramet/base/float16.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/random_groups.h"

// Compiled with -ffp-contract=off: a fused multiplication would change bits.

namespace ramet::linalg {
namespace {

// Groups of a generator's numbers that justify a thread (ramet_linalg_bench normal/*).
constexpr int64_t kGrainGroups = 1024;
constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};

uint64_t Wide(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

Philox::Words Round(const Philox::Words& c, const std::array<uint32_t, 2>& key) {
  const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
  const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
  return {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(p1),
          static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p0)};
}

// A Group has Value, kSize and Make(generator, values), which computes one group of output.
template <class Group>
void FillGroups(const Philox& start, void* yv, int64_t n) {
  using Value = typename Group::Value;
  Value* y = static_cast<Value*>(yv);
  constexpr int64_t kSize = Group::kSize;
  ParallelFor((n + kSize - 1) / kSize, kGrainGroups, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      Philox generator = start;
      generator.Skip(static_cast<uint64_t>(g) * Group::kStep);
      Value values[kSize];
      Group::Make(generator, values);
      const int64_t count = std::min(kSize, n - g * kSize);
      std::memcpy(static_cast<void*>(y + g * kSize), values, count * sizeof(Value));
    }
  });
}

template <class T>
struct TruncatedNormals {
  using Value = T;
  static constexpr int64_t kSize = 4, kStep = 256;
  static void Make(Philox& g, Value* y) {
    WordStream word(&g);
    for (int i = 0; i < kSize;) {
      const uint32_t x0 = word();
      const uint32_t x1 = word();
      const FloatPair pair = BoxMuller(x0, x1);
      if (std::fabs(pair.first) < 2.0f) y[i++] = ToValue<T>(pair.first);
      if (i < kSize && std::fabs(pair.second) < 2.0f) y[i++] = ToValue<T>(pair.second);
    }
  }
};
template <>
struct TruncatedNormals<double> {
  using Value = double;
  static constexpr int64_t kSize = 2, kStep = 128;
  static void Make(Philox& g, Value* y) {
    for (int i = 0; i < kSize;) {
      const Philox::Words x = g();
      const DoublePair pair = BoxMuller(x[0], x[1], x[2], x[3]);
      if (std::fabs(pair.first) < 2.0) y[i++] = pair.first;
      if (i < kSize && std::fabs(pair.second) < 2.0) y[i++] = pair.second;
    }
  }
};

// Returns x modulo `bound`, or x if `bound` is 0.
template <class T>
T Below(T x, T bound) {
  return bound == 0 ? x : x % bound;
}

}  // namespace

Philox::Philox(uint64_t seed, uint64_t seed2)
    : counter_{0, 0, static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)},
      key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

Philox::Words Philox::operator()() {
  Words c = counter_;
  std::array<uint32_t, 2> key = key_;
  for (int i = 0; i < 10; ++i) {
    c = Round(c, key);
    key[0] += kWeyl[0];
    key[1] += kWeyl[1];
  }
  Skip(1);
  return c;
}

void Philox::Skip(uint64_t count) {
  const uint64_t low = Wide(counter_[0], counter_[1]);
  const uint64_t sum = low + count;
  counter_[0] = static_cast<uint32_t>(sum);
  counter_[1] = static_cast<uint32_t>(sum >> 32);
  if (sum < low && ++counter_[2] == 0) ++counter_[3];
}

void FillUniform(Type type, Philox generator, void* y, int64_t n) {
  switch (type) {
    case Type::kDouble: return FillGroups<UniformDoubles>(generator, y, n);
    case Type::kHalf: return FillGroups<UniformHalves<Half, 0x3C00, 0x3FF>>(generator, y, n);
    case Type::kBfloat16: return FillGroups<UniformHalves<BFloat16, 0x3F80, 0x7F>>(generator, y, n);
    default: return FillGroups<UniformFloats>(generator, y, n);
  }
}

void FillUniformInt(Type type, Philox generator, int64_t low, int64_t high, void* y, int64_t n) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const int64_t size = type == Type::kInt32 ? 4 : 2;
  ParallelFor((n + size - 1) / size, kGrainGroups, [&](int64_t begin, int64_t end) {
    Philox group = generator;
    group.Skip(static_cast<uint64_t>(begin));
    for (int64_t g = begin; g < end; ++g) {
      const Philox::Words x = group();
      const int64_t count = std::min(size, n - g * size);
      for (int64_t i = 0; i < count; ++i) {
        if (type == Type::kInt32) {
          static_cast<int32_t*>(y)[g * 4 + i] = static_cast<int32_t>(
              static_cast<uint32_t>(low) + Below(x[i], static_cast<uint32_t>(range)));
        } else {
          static_cast<int64_t*>(y)[g * 2 + i] = static_cast<int64_t>(
              static_cast<uint64_t>(low) + Below(Wide(x[2 * i], x[2 * i + 1]), range));
        }
      }
    }
  });
}

void FillNormal(Type type, Philox generator, void* y, int64_t n) {
  switch (type) {
    case Type::kDouble: return FillGroups<Normals<double>>(generator, y, n);
    case Type::kHalf: return FillGroups<Normals<Half>>(generator, y, n);
    case Type::kBfloat16: return FillGroups<Normals<BFloat16>>(generator, y, n);
    default: return FillGroups<Normals<float>>(generator, y, n);
  }
}

void FillTruncatedNormal(Type type, Philox generator, void* y, int64_t n) {
  switch (type) {
    case Type::kDouble: return FillGroups<TruncatedNormals<double>>(generator, y, n);
    case Type::kHalf: return FillGroups<TruncatedNormals<Half>>(generator, y, n);
    case Type::kBfloat16: return FillGroups<TruncatedNormals<BFloat16>>(generator, y, n);
    default: return FillGroups<TruncatedNormals<float>>(generator, y, n);
  }
}

void FillShuffle(Type index_type, Philox* generator, void* y, int64_t n) {
  const auto shuffle = [&](auto* index) {
    for (int64_t i = 0; i < n; ++i) index[i] = static_cast<std::decay_t<decltype(*index)>>(i);
    if (n <= 1) return;
    Philox copy = *generator;
    WordStream word(&copy);
    for (int64_t i = 0; i + 1 < n; ++i) {
      std::swap(index[i], index[i + word() % static_cast<uint64_t>(n - i)]);
    }
    generator->Skip(static_cast<uint64_t>(n - 1 + 3) / 4);
  };
  if (index_type == Type::kInt32) {
    shuffle(static_cast<int32_t*>(y));
  } else {
    shuffle(static_cast<int64_t*>(y));
  }
}

}  // namespace ramet::linalg
