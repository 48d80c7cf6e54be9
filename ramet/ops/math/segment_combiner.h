#pragma once

#include <cmath>
#include <cstdint>

namespace ramet {

// How a sparse segment op combines the rows of one segment: their sum, their mean, or their sum
// divided by the square root of their number.
enum class SegmentCombiner { kSum, kMean, kSqrtN };

// Returns the factor by which the sum of `count` rows is multiplied.
inline double SegmentScale(SegmentCombiner combiner, int64_t count) {
  if (combiner == SegmentCombiner::kSum) return 1;
  const auto rows = static_cast<double>(count);
  return 1 / (combiner == SegmentCombiner::kMean ? rows : std::sqrt(rows));
}

}  // namespace ramet
