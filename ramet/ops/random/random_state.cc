#include "ramet/ops/random/random_state.h"

#include <random>

namespace ramet {

void DrawSeeds(uint64_t* seed, uint64_t* seed2) {
  std::random_device source;
  for (uint64_t* s : {seed, seed2}) {
    const uint64_t high = source();
    *s = high << 32 | source();
  }
}

RandomState::RandomState(const AttrMap& attrs) {
  uint64_t seed = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed", 0));
  uint64_t seed2 = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed2", 0));
  if (seed == 0 && seed2 == 0) DrawSeeds(&seed, &seed2);
  generator_ = linalg::Philox(seed, seed2);
}

}  // namespace ramet
