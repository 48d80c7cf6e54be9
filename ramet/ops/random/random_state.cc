#include "ramet/ops/random/random_state.h"

#include <random>

namespace ramet {

RandomState::RandomState(const AttrMap& attrs) {
  uint64_t seed = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed", 0));
  uint64_t seed2 = static_cast<uint64_t>(attrs.GetOr<int64_t>("seed2", 0));
  if (seed == 0 && seed2 == 0) {
    std::random_device source;
    seed = (uint64_t{source()} << 32) | source();
    seed2 = (uint64_t{source()} << 32) | source();
  }
  generator_ = linalg::Philox(seed, seed2);
}

}  // namespace ramet
