#include "ramet/ops/image/sampling_spans.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramet {
namespace {

// Returns x as an integer in [0, last]. x may be infinite or NaN.
int64_t Clamped(float x, int64_t last) {
  if (!(x > 0)) return 0;
  return x >= static_cast<float>(last) ? last : static_cast<int64_t>(x);
}

}  // namespace

Spans::Spans(const SamplingKernel& kernel, const SampledAxis& axis, bool antialias)
    : runs_(axis.out) {
  const float inverse = static_cast<float>(1.0 / axis.scale);
  const float shift = -inverse * axis.translation;
  const float width = antialias ? std::max(inverse, 1.0f) : 1.0f;
  for (int64_t i = 0; i < axis.out; ++i) {
    const float sample = (static_cast<float>(i) + 0.5f) * inverse + shift;
    if (!(sample >= 0 && sample <= static_cast<float>(axis.in))) continue;
    runs_[i] = Add(kernel, sample, width, axis.in);
  }
}

Spans::Run Spans::Add(const SamplingKernel& kernel, float sample, float width, int64_t in) {
  const float reach = kernel.radius() * width, narrow = 1.0f / width;
  Run run;
  run.begin = Clamped(std::ceil(sample - reach - 0.5f), in - 1);
  run.size = Clamped(std::floor(sample + reach - 0.5f), in - 1) + 1 - run.begin;
  run.offset = static_cast<int64_t>(weights_.size());
  float sum = 0;
  for (int64_t k = run.begin; k < run.begin + run.size; ++k) {
    weights_.push_back(kernel((static_cast<float>(k) + 0.5f - sample) * narrow));
    sum += weights_.back();
  }
  const bool some = std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min();
  const float factor = some ? 1.0f / sum : 0.0f;
  for (size_t k = run.offset; k < weights_.size(); ++k) weights_[k] *= factor;
  return run;
}

}  // namespace ramet
