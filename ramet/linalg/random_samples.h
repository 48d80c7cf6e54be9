#pragma once

#include <cstdint>

#include "ramet/linalg/parallel.h"
#include "ramet/linalg/random_bits.h"

// Samples of distributions that need an unknown number of draws. Each sample has a generator of its
// own, so results do not depend on the number of threads.

namespace ramet::linalg {

// Samples that justify a thread (ramet_linalg_bench gamma).
inline constexpr int64_t kGrainSamples = 256;

// Draws doubles in [0, 1) from a generator, two for each group of words, the second one first.
class UniformPairs {
 public:
  explicit UniformPairs(Philox* generator) : generator_(generator) {}
  double operator()() {
    if (left_ == 0) {
      words_ = (*generator_)();
      left_ = 2;
    }
    --left_;
    return UniformDouble(words_[2 * left_], words_[2 * left_ + 1]);
  }

 private:
  Philox* generator_;
  Philox::Words words_ = {};
  int left_ = 0;
};

// Draws numbers of the standard normal distribution from a generator, as UniformPairs.
class NormalPairs {
 public:
  explicit NormalPairs(Philox* generator) : generator_(generator) {}
  double operator()() {
    if (left_) {
      left_ = false;
      return pair_.first;
    }
    const Philox::Words x = (*generator_)();
    pair_ = BoxMuller(x[0], x[1], x[2], x[3]);
    left_ = true;
    return pair_.second;
  }

 private:
  Philox* generator_;
  DoublePair pair_ = {};
  bool left_ = false;
};

// The draws that each sample may use, unless a distribution needs another number.
struct ReservedDraws {
  uint64_t operator()(int64_t) const { return PhiloxReserved(1); }
};

// Calls sample(parameter index, generator) for each output. The generator of sample i of parameter
// p is `start` after (p * samples + i) * reserved(p) draws, and y[i * count + p] its output.
template <class T, class Sample, class Reserved = ReservedDraws>
void FillSamples(const Philox& start, int64_t count, T* y, int64_t samples, const Sample& sample,
                 const Reserved& reserved = {}) {
  ParallelFor(count * samples, kGrainSamples, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Philox generator = start;
      generator.Skip(reserved(i / samples) * static_cast<uint64_t>(i));
      y[i % samples * count + i / samples] = sample(i / samples, generator);
    }
  });
}

}  // namespace ramet::linalg
