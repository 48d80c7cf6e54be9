#pragma once

#include <span>
#include <vector>

#include "ramet/linalg/random_bits.h"

namespace ramet {

// An AliasTable draws indices with probabilities proportional to weights, in constant time
// (Vose, "A linear algorithm for generating random numbers with a given distribution"), with the
// numbers of TensorFlow's DistributionSampler. Immutable. Thread-safe.
class AliasTable {
 public:
  // There must be at least one weight.
  explicit AliasTable(std::span<const float> weights);

  int64_t Sample(linalg::WordStream& word) const {
    const float drawn = word.NextFloat();
    const auto n = static_cast<uint32_t>(cells_.size());
    const uint32_t i = linalg::BelowUnbiased(n, [&] { return word(); });
    return drawn < cells_[i].threshold ? static_cast<int64_t>(i) : cells_[i].other;
  }

 private:
  // An index is drawn with probability `threshold` in its own cell, and instead of others in the
  // cells whose `other` it is.
  struct Cell {
    float threshold = 1;
    int32_t other = 0;
  };

  std::vector<Cell> cells_;
};

}  // namespace ramet
