#pragma once

#include <cstdint>

#include "ramet/base/float16.h"
#include "ramet/linalg/random_bits.h"

// Distributions whose values TensorFlow makes in groups of a fixed size, each from the next words
// of a generator. A group has Value, kSize, kStep (draws of four words) and Make(generator,
// values).

namespace ramet::linalg {

template <class T>
T ToValue(float x) {
  return T(x);
}

struct UniformFloats {
  using Value = float;
  static constexpr int64_t kSize = 4, kStep = 1;
  static void Make(Philox& g, Value* y) {
    const Philox::Words x = g();
    for (int i = 0; i < 4; ++i) y[i] = UniformFloat(x[i]);
  }
};
struct UniformDoubles {
  using Value = double;
  static constexpr int64_t kSize = 2, kStep = 1;
  static void Make(Philox& g, Value* y) {
    const Philox::Words x = g();
    for (int i = 0; i < 2; ++i) y[i] = UniformDouble(x[2 * i], x[2 * i + 1]);
  }
};
template <class H, uint16_t kOne, uint16_t kMask>
struct UniformHalves {
  using Value = H;
  static constexpr int64_t kSize = 4, kStep = 1;
  static void Make(Philox& g, Value* y) {
    const Philox::Words x = g();
    for (int i = 0; i < 4; ++i) {
      const H one_to_two = H::FromBits(static_cast<uint16_t>(kOne | (x[i] & kMask)));
      y[i] = H(static_cast<float>(one_to_two) - 1.0f);
    }
  }
};

template <class T>
struct Normals {
  using Value = T;
  static constexpr int64_t kSize = 4, kStep = 1;
  static void Make(Philox& g, Value* y) {
    const Philox::Words x = g();
    for (int i = 0; i < 4; i += 2) {
      const FloatPair pair = BoxMuller(x[i], x[i + 1]);
      y[i] = ToValue<T>(pair.first);
      y[i + 1] = ToValue<T>(pair.second);
    }
  }
};
template <>
struct Normals<double> {
  using Value = double;
  static constexpr int64_t kSize = 2, kStep = 1;
  static void Make(Philox& g, Value* y) {
    const Philox::Words x = g();
    const DoublePair pair = BoxMuller(x[0], x[1], x[2], x[3]);
    y[0] = pair.first;
    y[1] = pair.second;
  }
};

}  // namespace ramet::linalg
