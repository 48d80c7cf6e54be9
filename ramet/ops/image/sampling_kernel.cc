#include "ramet/ops/image/sampling_kernel.h"

#include <cmath>

namespace ramet {
namespace {

template <int kRadius>
float Lanczos(float x) {
  constexpr float kPi = 3.14159265359f;
  constexpr float kR = kRadius;
  if (x > kR) return 0;
  if (x <= 1e-3) return 1;
  return kR * std::sin(kPi * x) * std::sin(kPi * x / kR) / (kPi * kPi * x * x);
}

constexpr float kGaussianRadius = 1.5f;

float Gaussian(float x) {
  constexpr float kSigma = kGaussianRadius / 3.0f;
  if (x >= kGaussianRadius) return 0;
  return static_cast<float>(std::exp(-x * x / (2.0 * kSigma * kSigma)));
}

float Box(float x) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }

float Triangle(float x) { return x < 1 ? 1 - x : 0; }

// The cubic convolution of Keys (1981), which passes through the samples.
float KeysCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4.0f) * x + 2.0f;
  return (1.5f * x - 2.5f) * x * x + 1.0f;
}

// The cubic of Mitchell and Netravali (1988), which rings less.
float MitchellCubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.0f / 18.0f * x + 2.0f) * x - 10.0f / 3.0f) * x + 16.0f / 9.0f;
  return (7.0f / 6.0f * x - 2.0f) * x * x + 8.0f / 9.0f;
}

}  // namespace

StatusOr<SamplingKernel> SamplingKernel::Named(std::string_view name) {
  if (name == "lanczos1") return SamplingKernel(1, Lanczos<1>);
  if (name == "lanczos3") return SamplingKernel(3, Lanczos<3>);
  if (name == "lanczos5") return SamplingKernel(5, Lanczos<5>);
  if (name == "gaussian") return SamplingKernel(kGaussianRadius, Gaussian);
  if (name == "box") return SamplingKernel(1, Box);
  if (name == "triangle") return SamplingKernel(1, Triangle);
  if (name == "keyscubic") return SamplingKernel(2, KeysCubic);
  if (name == "mitchellcubic") return SamplingKernel(2, MitchellCubic);
  return InvalidArgument("Unrecognized kernel type: ", name,
                         "\nkernel_type must be lanczos1, lanczos3, lanczos5, gaussian, box, "
                         "triangle, keyscubic or mitchellcubic");
}

}  // namespace ramet
