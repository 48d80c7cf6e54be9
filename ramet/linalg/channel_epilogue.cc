#include "ramet/linalg/channel_epilogue.h"

#include <algorithm>
#include <cmath>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread, as for AddBias.
constexpr int64_t kGrainElements = 1 << 14;

}  // namespace

ChannelNumbers::ChannelNumbers(int64_t channels)
    : channels_(channels),
      before_(static_cast<float*>(
          Scratch(ScratchUse::kEpilogueNumbers, 3 * channels * int64_t{sizeof(float)}))),
      scale_(before_ + channels),
      after_(scale_ + channels) {}

void ChannelNumbers::Add(const float* numbers) { AddTimes(1, numbers); }

void ChannelNumbers::Subtract(const float* numbers) { AddTimes(-1, numbers); }

void ChannelNumbers::AddTimes(float sign, const float* numbers) {
  float* const sums = has_scale_ ? after_ : before_;
  bool& has_sums = has_scale_ ? has_after_ : has_before_;
  for (int64_t c = 0; c < channels_; ++c) {
    sums[c] = has_sums ? sums[c] + sign * numbers[c] : sign * numbers[c];
  }
  has_sums = true;
}

void ChannelNumbers::Multiply(const float* numbers) {
  for (int64_t c = 0; c < channels_; ++c) {
    scale_[c] = has_scale_ ? scale_[c] * numbers[c] : numbers[c];
    if (has_after_) after_[c] *= numbers[c];
  }
  has_scale_ = true;
}

void ChannelNumbers::Normalize(const float* scale, const float* offset, const float* mean,
                               const float* variance, float epsilon) {
  Subtract(mean);
  for (int64_t c = 0; c < channels_; ++c) {
    const float factor = scale[c] / std::sqrt(variance[c] + epsilon);
    scale_[c] = has_scale_ ? scale_[c] * factor : factor;
    if (has_after_) after_[c] *= factor;
  }
  has_scale_ = true;
  Add(offset);
}

ChannelEpilogue ChannelNumbers::epilogue() const {
  return {.before = has_before_ ? before_ : nullptr,
          .scale = has_scale_ ? scale_ : nullptr,
          .after = has_after_ ? after_ : nullptr};
}

void ApplyEpilogue(int64_t rows, int64_t n, const ChannelEpilogue& epilogue, float* y) {
  ParallelFor(rows, kGrainElements / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    Kernels().conv.epilogue(epilogue.From(0, begin * n), end - begin, n, y + begin * n);
  });
}

}  // namespace ramet::linalg
