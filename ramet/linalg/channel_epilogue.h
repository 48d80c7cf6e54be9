#pragma once

#include <cstdint>

// Epilogues: work on the result of a product or convolution before it is written.

namespace ramet::linalg {

// y = ((x + before) * scale + after) + addend, then Relu. The first three have one number per
// channel, the last dimension. The addend has the shape of y, and may be y. Null leaves a part out.
// A plain value.
struct ChannelEpilogue {
  const float* before = nullptr;
  const float* scale = nullptr;
  const float* after = nullptr;
  const float* addend = nullptr;
  bool relu = false;

  // Reports whether there is anything to do.
  bool Any() const { return before || scale || after || addend || relu; }
  // Returns the epilogue of the channels from `channel` on, and of the addend's elements from `at`.
  ChannelEpilogue From(int64_t channel, int64_t at) const {
    const auto advanced = [](const float* p, int64_t n) { return p == nullptr ? p : p + n; };
    return {advanced(before, channel), advanced(scale, channel), advanced(after, channel),
            advanced(addend, at), relu};
  }
};

// ChannelNumbers builds the per-channel part of an epilogue from the steps that follow a product.
// The numbers are in scratch memory of the calling thread, which keeps them until it builds others.
class ChannelNumbers {
 public:
  explicit ChannelNumbers(int64_t channels);

  // Add the next step: x + numbers, x - numbers, x * numbers, or the normalization (x - mean) *
  // scale / sqrt(variance + epsilon) + offset.
  void Add(const float* numbers);
  void Subtract(const float* numbers);
  void Multiply(const float* numbers);
  void Normalize(const float* scale, const float* offset, const float* mean, const float* variance,
                 float epsilon);
  // Returns the epilogue of all steps so far.
  ChannelEpilogue epilogue() const;

 private:
  void AddTimes(float sign, const float* numbers);

  const int64_t channels_;
  float *before_, *scale_, *after_;
  bool has_before_ = false, has_scale_ = false, has_after_ = false;
};

// y = epilogue(y) for rows of n channels. Uses the calling thread's intra-op threads.
void ApplyEpilogue(int64_t rows, int64_t n, const ChannelEpilogue& epilogue, float* y);

}  // namespace ramet::linalg
