#include "ramet/ops/random/unigram_weights.h"

#include <cmath>

#include "ramet/base/file.h"
#include "ramet/base/strings.h"
#include "ramet/ops/string/lines.h"
#include "ramet/ops/string/read_float.h"

namespace ramet {
namespace {

Status CheckSize(int64_t size, const UnigramOptions& options) {
  if (size == options.range) return OkStatus();
  return InvalidArgument("range is ", options.range, " must be equal to weights size  ", size);
}

// Returns the number of ids in [0, end) that belong to the shard.
int64_t InShard(int64_t end, const UnigramOptions& options) {
  if (end <= options.shard || options.shard >= options.num_shards) return 0;
  return (end - options.shard - 1) / options.num_shards + 1;
}

}  // namespace

StatusOr<std::vector<float>> WeightsOf(std::span<const float> counts,
                                       const UnigramOptions& options) {
  // In TensorFlow, the id of the first count is the number of the weights before it.
  const int64_t reserved = InShard(options.reserved_ids, options);
  const int64_t end = reserved + std::ssize(counts);
  const int64_t size = reserved + InShard(end, options) - InShard(reserved, options);
  RAMET_RETURN_IF_ERROR(CheckSize(size, options));
  std::vector<float> weights(reserved, 0.0f);
  for (int64_t id = reserved; id < end; ++id) {
    if (id % options.num_shards != options.shard) continue;
    weights.push_back(std::pow(counts[id - reserved], options.distortion));
  }
  return weights;
}

StatusOr<std::vector<float>> WeightsOfFile(const std::string& path, const UnigramOptions& options) {
  RAMET_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  std::vector<float> counts;
  for (std::string_view line : LinesOf(text)) {
    if (line.empty()) continue;
    const size_t comma = line.rfind(',');
    float count = 0;
    if (!ReadFloat(comma == line.npos ? line : line.substr(comma + 1), &count)) {
      return InvalidArgument("Wrong vocabulary format at line: ", line);
    }
    counts.push_back(count);
  }
  return WeightsOf(counts, options);
}

}  // namespace ramet
