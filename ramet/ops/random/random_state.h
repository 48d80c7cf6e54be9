#pragma once

#include "ramet/base/mutex.h"

#include "ramet/linalg/random.h"
#include "ramet/op/attr.h"

namespace ramet {

// Sets seeds from the system.
void DrawSeeds(uint64_t* seed, uint64_t* seed2);

// A RandomState is the random number generator of one kernel. It advances with every run.
// Thread-safe.
class RandomState {
 public:
  // Seeds the generator from the attrs seed and seed2, or, if both are 0, from the system.
  explicit RandomState(const AttrMap& attrs);

  // Returns the generator for a run that draws `count` elements; the next run starts after them.
  linalg::Philox Reserve(int64_t count) {
    MutexLock lock(mutex_);
    const linalg::Philox taken = generator_;
    generator_.Skip(linalg::PhiloxReserved(count));
    return taken;
  }
  // Calls draw(generator), which advances the generator itself.
  template <class Draw>
  void Move(Draw&& draw) {
    MutexLock lock(mutex_);
    draw(generator_);
  }

 private:
  Mutex mutex_;
  linalg::Philox generator_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
