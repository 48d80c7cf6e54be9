#pragma once

#include <mutex>

#include "ramet/linalg/random.h"
#include "ramet/op/attr.h"

namespace ramet {

// A RandomState is the generator of one kernel: it moves on with every run. Thread-safe.
class RandomState {
 public:
  // From the attrs seed and seed2; both 0: from the system's source of randomness.
  explicit RandomState(const AttrMap& attrs);

  // The generator for a run that draws `count` elements; the next run begins behind them.
  linalg::Philox Reserve(int64_t count) {
    std::lock_guard lock(mutex_);
    const linalg::Philox taken = generator_;
    generator_.Skip(linalg::PhiloxReserved(count));
    return taken;
  }
  // Calls draw(generator), which moves the generator itself.
  template <class Draw>
  void Move(Draw&& draw) {
    std::lock_guard lock(mutex_);
    draw(generator_);
  }

 private:
  std::mutex mutex_;
  linalg::Philox generator_;
};

}  // namespace ramet
