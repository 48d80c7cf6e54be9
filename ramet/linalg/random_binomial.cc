#include "ramet/linalg/random_binomial.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "ramet/base/float16.h"
#include "ramet/linalg/random_samples.h"

namespace ramet::linalg {
namespace {

// Draws that TensorFlow reserves for a sum of geometric variables.
constexpr uint64_t kInversionDraws = 42;
// The mean from which on samples are made by rejection.
constexpr double kLeastRejectionMean = 10;

// The number of geometric variables whose sum does not exceed the number of trials.
double SampleByInversion(double count, double prob, Philox& generator) {
  UniformPairs uniform(&generator);
  double sum = 0, successes = 0;
  for (;; ++successes) {
    sum += std::ceil(std::log(uniform()) / std::log1p(-prob));
    if (sum > count) return successes;
  }
}

// The error of Stirling's approximation of log(k!).
double StirlingTail(double k) {
  constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                               0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                               0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                               0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The logarithm of the ratio of the probabilities of k and of the mode m, for the odds r.
double LogRatio(double count, double r, double m, double k) {
  return (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
         (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
         (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + StirlingTail(m) +
         StirlingTail(count - m) - StirlingTail(k) - StirlingTail(count - k);
}

double SampleByRejection(double count, double prob, Philox& generator) {
  const double deviation = std::sqrt(count * prob * (1 - prob));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * prob;
  const double c = count * prob + 0.5;
  const double box = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((count + 1) * prob);
  UniformPairs uniform(&generator);
  for (;;) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double shifted = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / shifted + b) * u + c);
    if (shifted >= 0.07 && v <= box) return k;
    if (k < 0 || k > count) continue;
    const double s = std::log(v * alpha / (a / (shifted * shifted) + b));
    if (s <= LogRatio(count, prob / (1 - prob), mode, k)) return k;
  }
}

// A Trials is how one distribution is sampled.
struct Trials {
  double count = 0;
  double prob = 0;        // at most 1/2
  bool mirrored = false;  // failures are drawn instead of successes
  bool by_rejection = false;

  Trials(const Binomials& all, int64_t i)
      : count(all.counts[i]), prob(all.probs[i]), mirrored(prob > 0.5) {
    if (mirrored) prob = 1 - prob;  // exact in every type
    by_rejection = Rounded(count * prob, all.precision) >= kLeastRejectionMean;
  }

  double Sample(Philox& generator) const {
    if (count <= 0 || (prob <= 0 && !mirrored)) return 0;
    if (prob <= 0) return count;
    if (std::isnan(prob)) return prob;
    const double drawn = by_rejection ? SampleByRejection(count, prob, generator)
                                      : SampleByInversion(count, prob, generator);
    return mirrored ? count - drawn : drawn;
  }

  static double Rounded(double x, Type precision) {
    if (precision == Type::kDouble) return x;
    const auto rounded = static_cast<float>(x);
    return precision == Type::kHalf ? static_cast<float>(Half(rounded)) : rounded;
  }
};

// Converts as x86 does: values that do not fit become the smallest integer.
template <class T>
T Converted(double x) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double kEnd = -static_cast<double>(std::numeric_limits<T>::min());
    return x > -kEnd && x < kEnd ? static_cast<T>(x) : std::numeric_limits<T>::min();
  } else if constexpr (std::is_same_v<T, Half>) {
    return Half(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
void FillBinomials(const Philox& start, const Binomials& all, void* y, int64_t samples) {
  FillSamples(
      start, all.size, static_cast<T*>(y), samples,
      [&](int64_t b, Philox& generator) { return Converted<T>(Trials(all, b).Sample(generator)); },
      [&](int64_t b) { return Trials(all, b).by_rejection ? PhiloxReserved(1) : kInversionDraws; });
}

}  // namespace

bool CanSampleBinomial(double count, double prob) {
  return !std::isnan(count) || !(prob > 0 && prob < 1);
}

void FillBinomial(Type type, Philox generator, const Binomials& binomials, void* y,
                  int64_t samples) {
  switch (type) {
    case Type::kDouble: return FillBinomials<double>(generator, binomials, y, samples);
    case Type::kHalf: return FillBinomials<Half>(generator, binomials, y, samples);
    case Type::kInt32: return FillBinomials<int32_t>(generator, binomials, y, samples);
    case Type::kInt64: return FillBinomials<int64_t>(generator, binomials, y, samples);
    default: return FillBinomials<float>(generator, binomials, y, samples);
  }
}

}  // namespace ramet::linalg
