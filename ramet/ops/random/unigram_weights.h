#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// How counts become the weights of FixedUnigramCandidateSampler.
struct UnigramOptions {
  int64_t range = 0;         // the number of weights
  float distortion = 1;      // each weight is a count to this power
  int64_t reserved_ids = 0;  // classes of weight 0 before the first count
  int64_t num_shards = 1;    // only classes with the remainder `shard` modulo num_shards are kept
  int64_t shard = 0;
};

// Returns the weights for a list of counts.
// \error kInvalidArgument: they are not as many as the range.
StatusOr<std::vector<float>> WeightsOf(std::span<const float> counts,
                                       const UnigramOptions& options);
// Returns the weights for the counts in the last column of a comma-separated file.
// \error kInvalidArgument: they are not as many as the range; a column is not a number.
// \error as ReadFile.
StatusOr<std::vector<float>> WeightsOfFile(const std::string& path, const UnigramOptions& options);

}  // namespace ramet
