#include "ramet/ops/image/sampling_spans.h"

#include <cmath>
#include <limits>

#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

// Returns x as an integer in [0, last]. x may be infinite or NaN.
int64_t Clamped(float x, int64_t last) {
  if (!(x > 0)) return 0;
  return x >= static_cast<float>(last) ? last : static_cast<int64_t>(x);
}

}  // namespace

StatusOr<Spans> Spans::OfZeros(KernelContext& c, int64_t in, int64_t out, int64_t width) {
  Spans spans;
  spans.in_ = in;
  spans.width_ = width;
  RAMET_ASSIGN_OR_RETURN(spans.weights_, c.AllocateTemp(DType::kFloat, Shape{out, width}));
  std::ranges::fill(spans.weights_.mutable_flat<float>(), 0.0f);
  spans.begins_.resize(static_cast<size_t>(out));
  return spans;
}

StatusOr<Spans> Spans::Of(KernelContext& c, const SamplingKernel& kernel, const SampledAxis& axis,
                          bool antialias) {
  const float inverse = static_cast<float>(1.0 / axis.scale);
  const float shift = -inverse * axis.translation;
  const float stretch = antialias ? std::max(inverse, 1.0f) : 1.0f;
  const int64_t reach = Clamped(std::ceil(kernel.radius() * stretch), axis.in);
  RAMET_ASSIGN_OR_RETURN(Spans spans,
                         OfZeros(c, axis.in, axis.out, std::min(2 * reach + 1, axis.in)));
  for (int64_t i = 0; i < axis.out && !StopDue(); ++i) {
    const float sample = (static_cast<float>(i) + 0.5f) * inverse + shift;
    if (!(sample >= 0 && sample <= static_cast<float>(axis.in))) continue;
    spans.Set(i, kernel, sample, stretch);
  }
  return spans;
}

void Spans::Set(int64_t i, const SamplingKernel& kernel, float sample, float stretch) {
  const float reach = kernel.radius() * stretch, narrow = 1.0f / stretch;
  const int64_t begin = Clamped(std::ceil(sample - reach - 0.5f), in_ - 1);
  const int64_t last = Clamped(std::floor(sample + reach - 0.5f), in_ - 1);
  const int64_t size = std::min(last + 1 - begin, width_);
  begins_[i] = begin;
  float* const weights = weights_of(i);
  float sum = 0;
  for (int64_t k = 0; k < size; ++k) {
    weights[k] = kernel((static_cast<float>(begin + k) + 0.5f - sample) * narrow);
    sum += weights[k];
  }
  const bool some = std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min();
  const float factor = some ? 1.0f / sum : 0.0f;
  for (int64_t k = 0; k < size; ++k) weights[k] *= factor;
}

StatusOr<Spans> Spans::Transposed(KernelContext& c) const {
  std::vector<int64_t> first(static_cast<size_t>(in_), 0), end(static_cast<size_t>(in_), 0);
  // Calls fn(input element, output element, weight) for all weights that are not 0.
  const auto for_each = [&](auto fn) {
    for (int64_t i = 0; i < size(); ++i) {
      const Span span = (*this)[i];
      int64_t element = span.begin;
      for (const float weight : span.weights) {
        if (weight != 0) fn(element, i, weight);
        ++element;
      }
    }
  };
  for_each([&](int64_t element, int64_t i, float) {
    if (end[element] == 0) first[element] = i;
    end[element] = i + 1;
  });
  int64_t width = 0;
  for (int64_t k = 0; k < in_; ++k) width = std::max(width, end[k] - first[k]);
  RAMET_ASSIGN_OR_RETURN(Spans spans, OfZeros(c, size(), in_, width));
  for_each([&](int64_t element, int64_t i, float weight) {
    spans.weights_of(element)[i - first[element]] = weight;
  });
  spans.begins_ = std::move(first);
  return spans;
}

}  // namespace ramet
