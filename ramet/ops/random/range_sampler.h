#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ramet/base/cancellation.h"
#include "ramet/base/mutex.h"
#include "ramet/base/status.h"
#include "ramet/linalg/random_bits.h"

namespace ramet {

// The classes that a RangeSampler drew, and how often it expects to draw classes in one batch.
struct CandidateBatch {
  std::span<const int64_t> true_classes;
  std::span<int64_t> sampled;
  std::span<float> true_expected;
  std::span<float> sampled_expected;
};

// A RangeSampler draws classes from [0, range), with the numbers of TensorFlow's samplers.
// Thread-safe.
class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;

  int64_t range() const { return range_; }
  // Fills the spans of `batch`. With `unique`, all drawn classes are different.
  // \error kInvalidArgument: too few classes can be drawn.
  // \error kCancelled, kDeadlineExceeded: the run ended.
  virtual Status Draw(linalg::WordStream& word, bool unique, const CandidateBatch& batch,
                      const Cancellation* cancellation);

 protected:
  virtual int64_t Sample(linalg::WordStream& word) const = 0;
  virtual float Probability(int64_t value) const = 0;

 private:
  StatusOr<int64_t> DrawUnique(linalg::WordStream& word, std::span<int64_t> sampled,
                               const Cancellation* cancellation) const;

  const int64_t range_;
};

// Returns a sampler that draws each class once, in order. The batch must have `range` classes.
std::unique_ptr<RangeSampler> MakeAllSampler(int64_t range);
// Returns a sampler that draws all classes with the same probability.
std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range);
// Returns a sampler that draws class k with a probability proportional to log((k + 2) / (k + 1)).
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range);
// Returns a sampler that draws class k with a probability proportional to one more than the number
// of its occurrences in the true classes of earlier batches. `range` must be less than 2^31 - 1.
std::unique_ptr<RangeSampler> MakeUnigramSampler(int64_t range);
// Returns a sampler that draws class k with a probability proportional to weights[k].
std::unique_ptr<RangeSampler> MakeFixedSampler(std::vector<float> weights);

}  // namespace ramet
