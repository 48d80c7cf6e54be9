#include "ramet/linalg/random_rejection.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "ramet/base/float16.h"
#include "ramet/linalg/random_samples.h"

namespace ramet::linalg {
namespace {

double SampleGamma(double alpha, Philox& generator) {
  UniformPairs uniform(&generator);
  if (alpha == 1.0) return -std::log1p(-uniform());
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  NormalPairs normal(&generator);
  for (;;) {
    const double x = normal();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniform();
    const bool inside = u < 1 - 0.0331 * (x * x) * (x * x);
    if (!inside && !(std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)))) continue;
    return small ? d * v * std::pow(uniform(), 1 / alpha) : d * v;
  }
}

// The number of factors after which a product of uniform numbers falls below exp(-rate).
double SampleSmallPoisson(double exp_neg_rate, Philox& generator) {
  UniformPairs uniform(&generator);
  double product = 1, x = 0;
  for (;; ++x) {
    product *= uniform();
    if (product <= exp_neg_rate) return x;
  }
}

double SampleLargePoisson(double rate, double largest, Philox& generator) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  UniformPairs uniform(&generator);
  for (;;) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double shifted = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > largest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * log_rate - std::lgamma(k + 1)) return k;
  }
}

template <class T>
void FillGammas(const Philox& start, const T* alpha, int64_t count, T* y, int64_t samples) {
  FillSamples(start, count, y, samples, [&](int64_t a, Philox& generator) {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<T>(SampleGamma(static_cast<Wide>(alpha[a]), generator));
  });
}

double SamplePoisson(double rate, double largest, Philox& generator) {
  if (rate == std::numeric_limits<double>::infinity()) return rate;
  return rate < 10 ? SampleSmallPoisson(std::exp(-rate), generator)
                   : SampleLargePoisson(rate, largest, generator);
}

// A value of 0 stands for infinity in integers, as in TensorFlow.
template <class T>
void FillPoissons(const Philox& start, const double* rate, int64_t count, void* y, int64_t samples,
                  double largest = static_cast<double>(std::numeric_limits<T>::max())) {
  FillSamples(start, count, static_cast<T*>(y), samples, [&](int64_t r, Philox& generator) {
    const double k = SamplePoisson(rate[r], largest, generator);
    return std::is_integral_v<T> && std::isinf(k) ? T() : static_cast<T>(k);
  });
}

}  // namespace

void FillGamma(Type type, Philox generator, const void* alpha, int64_t count, void* y,
               int64_t samples) {
  const auto fill = [&]<class T>(T*) {
    FillGammas(generator, static_cast<const T*>(alpha), count, static_cast<T*>(y), samples);
  };
  switch (type) {
    case Type::kDouble: return fill(static_cast<double*>(nullptr));
    case Type::kHalf: return fill(static_cast<Half*>(nullptr));
    default: return fill(static_cast<float*>(nullptr));
  }
}

void FillPoisson(Type type, Philox generator, const double* rate, int64_t count, void* y,
                 int64_t samples) {
  constexpr double kLargestHalf = 65504;
  switch (type) {
    case Type::kDouble: return FillPoissons<double>(generator, rate, count, y, samples);
    case Type::kHalf: return FillPoissons<Half>(generator, rate, count, y, samples, kLargestHalf);
    case Type::kInt32: return FillPoissons<int32_t>(generator, rate, count, y, samples);
    case Type::kInt64: return FillPoissons<int64_t>(generator, rate, count, y, samples);
    default: return FillPoissons<float>(generator, rate, count, y, samples);
  }
}

}  // namespace ramet::linalg
