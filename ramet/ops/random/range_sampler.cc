#include "ramet/ops/random/range_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "ramet/ops/random/alias_table.h"
#include "ramet/ops/random/count_tree.h"

namespace ramet {
namespace {

// Draws after which a batch of different classes is given up, as in TensorFlow.
constexpr int64_t kMaxTries = std::numeric_limits<int32_t>::max();
// Draws between two looks at the cancellation of a run; a power of two.
constexpr int64_t kTriesPerCheck = 1 << 16;

// The expected number of occurrences of a class with probability p. `tries` draws gave `count`
// different classes, or `count` classes if both are equal.
float ExpectedCount(float p, int count, int tries) {
  if (tries == count) return p * static_cast<float>(count);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
}

class AllSampler final : public RangeSampler {
 public:
  using RangeSampler::RangeSampler;
  Status Draw(linalg::WordStream&, bool, const CandidateBatch& batch,
              const Cancellation*) override {
    for (size_t i = 0; i < batch.sampled.size(); ++i) batch.sampled[i] = static_cast<int64_t>(i);
    std::ranges::fill(batch.sampled_expected, 1.0f);
    std::ranges::fill(batch.true_expected, 1.0f);
    return OkStatus();
  }

 private:
  int64_t Sample(linalg::WordStream&) const override { return 0; }
  float Probability(int64_t) const override { return 1; }
};

class UniformSampler final : public RangeSampler {
 public:
  explicit UniformSampler(int64_t range)
      : RangeSampler(range), probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}

 private:
  int64_t Sample(linalg::WordStream& word) const override {
    return static_cast<int64_t>(
        linalg::BelowUnbiased(static_cast<uint64_t>(range()), [&] { return word.Next64(); }));
  }
  float Probability(int64_t) const override { return probability_; }

  const float probability_;
};

class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_range_(std::log1p(static_cast<double>(range))) {}

 private:
  int64_t Sample(linalg::WordStream& word) const override {
    const double drawn = std::exp(word.NextDouble() * log_range_);
    // Rounding may give a number just outside of the range, or of int64.
    if (drawn >= 0x1p63) return range() - 1;
    return (static_cast<int64_t>(drawn) - 1) % range();
  }
  float Probability(int64_t value) const override {
    const auto v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range_);
  }

  const double log_range_;
};

class UnigramSampler final : public RangeSampler {
 public:
  explicit UnigramSampler(int64_t range) : RangeSampler(range), counts_(range) {}

  Status Draw(linalg::WordStream& word, bool unique, const CandidateBatch& batch,
              const Cancellation* cancellation) override {
    MutexLock lock(mutex_);
    RAMET_RETURN_IF_ERROR(RangeSampler::Draw(word, unique, batch, cancellation));
    for (int64_t value : batch.true_classes) {
      if (counts_.total() == std::numeric_limits<int32_t>::max()) break;
      counts_.Increment(value);
    }
    return OkStatus();
  }

 private:
  int64_t Sample(linalg::WordStream& word) const override RAMET_REQUIRES(mutex_) {
    return counts_.Find(
        linalg::BelowUnbiased(static_cast<uint32_t>(counts_.total()), [&] { return word(); }));
  }
  float Probability(int64_t value) const override RAMET_REQUIRES(mutex_) {
    return static_cast<float>(counts_.count(value)) / static_cast<float>(counts_.total());
  }

  Mutex mutex_;
  CountTree counts_ RAMET_GUARDED_BY(mutex_);
};

class FixedSampler final : public RangeSampler {
 public:
  explicit FixedSampler(std::vector<float> weights)
      : RangeSampler(std::ssize(weights)), table_(weights), weights_(std::move(weights)) {
    for (float w : weights_) total_ += w;
  }

  Status Draw(linalg::WordStream& word, bool unique, const CandidateBatch& batch,
              const Cancellation* cancellation) override {
    if (unique) RAMET_RETURN_IF_ERROR(CheckDrawable(std::ssize(batch.sampled)));
    return RangeSampler::Draw(word, unique, batch, cancellation);
  }

 private:
  // \error kInvalidArgument: `count` different classes can never be drawn.
  Status CheckDrawable(int64_t count) const {
    const auto drawable = std::ranges::count_if(weights_, [](float w) { return w > 0; });
    if (drawable < count) {
      return InvalidArgument("Sampler's range is too small: ", drawable,
                             " classes have a positive weight, but ", count,
                             " different ones are to be drawn");
    }
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    const bool negative = std::ranges::any_of(weights_, [](float w) { return w < 0; });
    if (std::isfinite(sum) && !negative) return OkStatus();
    return InvalidArgument(
        "different classes cannot be drawn: a weight is negative, or their sum, ", sum,
        ", is not finite");
  }
  int64_t Sample(linalg::WordStream& word) const override { return table_.Sample(word); }
  float Probability(int64_t value) const override { return weights_[value] / total_; }

  const AliasTable table_;
  const std::vector<float> weights_;
  float total_ = 0;
};

}  // namespace

StatusOr<int64_t> RangeSampler::DrawUnique(linalg::WordStream& word, std::span<int64_t> sampled,
                                           const Cancellation* cancellation) const {
  std::unordered_set<int64_t> used;
  int64_t tries = 0;
  for (size_t picked = 0; picked < sampled.size();) {
    if (++tries == kMaxTries) {
      return InvalidArgument("drew only ", picked, " different classes in ", tries,
                             " attempts, but num_sampled is ", sampled.size());
    }
    if (tries % kTriesPerCheck == 0 && cancellation != nullptr) {
      RAMET_RETURN_IF_ERROR(cancellation->status());
    }
    const int64_t value = Sample(word);
    if (used.insert(value).second) sampled[picked++] = value;
  }
  return tries;
}

Status RangeSampler::Draw(linalg::WordStream& word, bool unique, const CandidateBatch& batch,
                          const Cancellation* cancellation) {
  const int count = static_cast<int>(batch.sampled.size());
  int64_t tries = count;
  if (unique) {
    RAMET_ASSIGN_OR_RETURN(tries, DrawUnique(word, batch.sampled, cancellation));
  } else {
    for (int64_t& value : batch.sampled) value = Sample(word);
  }
  const auto expect = [&](std::span<const int64_t> values, std::span<float> expected) {
    for (size_t i = 0; i < values.size(); ++i) {
      expected[i] = ExpectedCount(Probability(values[i]), count, static_cast<int>(tries));
    }
  };
  expect(batch.sampled, batch.sampled_expected);
  expect(batch.true_classes, batch.true_expected);
  return OkStatus();
}

std::unique_ptr<RangeSampler> MakeAllSampler(int64_t range) {
  return std::make_unique<AllSampler>(range);
}
std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeUnigramSampler(int64_t range) {
  return std::make_unique<UnigramSampler>(range);
}
std::unique_ptr<RangeSampler> MakeFixedSampler(std::vector<float> weights) {
  return std::make_unique<FixedSampler>(std::move(weights));
}

}  // namespace ramet
