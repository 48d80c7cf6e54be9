#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/ops/image/sampling_kernel.h"

namespace ramet {

// One axis of a resampling: output element x is at input position (x - translation) / scale.
struct SampledAxis {
  int64_t in, out;
  float scale, translation;
};

// The Spans of an axis are the input elements that each output element is made of, with their
// weights. All spans that do not reach the end of the input have the same size, and weights that
// are not needed are 0. So an input of NaN can make more outputs NaN than it contributes to, as in
// TensorFlow.
class Spans {
 public:
  // A run of input elements.
  struct Span {
    int64_t begin;
    std::span<const float> weights;
  };

  // With `antialias`, a filter that shrinks the input is as wide as an output element. The weights
  // of outputs whose position is outside the input are 0.
  // \error as KernelContext::AllocateTemp.
  static StatusOr<Spans> Of(KernelContext& c, const SamplingKernel& kernel, const SampledAxis& axis,
                            bool antialias);
  // Returns the spans of the opposite direction: the outputs that each input element contributes
  // to.
  // \error as KernelContext::AllocateTemp.
  StatusOr<Spans> Transposed(KernelContext& c) const;

  int64_t size() const { return static_cast<int64_t>(begins_.size()); }
  Span operator[](int64_t i) const {
    const int64_t size = std::min(width_, in_ - begins_[i]);
    return {begins_[i], {weights_.data<float>() + i * width_, static_cast<size_t>(size)}};
  }

 private:
  static StatusOr<Spans> OfZeros(KernelContext& c, int64_t in, int64_t out, int64_t width);
  void Set(int64_t i, const SamplingKernel& kernel, float sample, float stretch);
  float* weights_of(int64_t i) { return weights_.mutable_data<float>() + i * width_; }

  int64_t in_ = 0, width_ = 0;
  std::vector<int64_t> begins_;
  Tensor weights_;  // [out, width]
};

}  // namespace ramet
