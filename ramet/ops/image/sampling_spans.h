#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramet/ops/image/sampling_kernel.h"

namespace ramet {

// One axis of a resampling: output element x is at input position (x - translation) / scale.
struct SampledAxis {
  int64_t in, out;
  float scale, translation;
};

// The Spans of an axis are the input elements that each output element is made of, with their
// weights. Outputs whose position is outside the input have no elements.
class Spans {
 public:
  // A run of input elements.
  struct Span {
    int64_t begin;
    std::span<const float> weights;
  };

  // With `antialias`, a filter that shrinks the input is as wide as an output element.
  Spans(const SamplingKernel& kernel, const SampledAxis& axis, bool antialias);

  int64_t size() const { return static_cast<int64_t>(runs_.size()); }
  Span operator[](int64_t i) const {
    const Run& run = runs_[i];
    return {run.begin, {weights_.data() + run.offset, static_cast<size_t>(run.size)}};
  }

 private:
  struct Run {
    int64_t begin = 0, size = 0, offset = 0;
  };
  Run Add(const SamplingKernel& kernel, float sample, float width, int64_t in);

  std::vector<Run> runs_;
  std::vector<float> weights_;
};

}  // namespace ramet
