#pragma once

#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A SamplingKernel is a filter for resampling: a weight for each distance from a sample, which is 0
// beyond a radius.
class SamplingKernel {
 public:
  // Finds the filter that TensorFlow calls `name`: lanczos1, lanczos3, lanczos5, gaussian, box,
  // triangle, keyscubic or mitchellcubic.
  // \error kInvalidArgument: "Unrecognized kernel type: foo".
  static StatusOr<SamplingKernel> Named(std::string_view name);

  float radius() const { return radius_; }
  float operator()(float distance) const { return weight_(distance < 0 ? -distance : distance); }

 private:
  using Weight = float (*)(float distance);
  SamplingKernel(float radius, Weight weight) : radius_(radius), weight_(weight) {}

  float radius_;
  Weight weight_;
};

}  // namespace ramet
