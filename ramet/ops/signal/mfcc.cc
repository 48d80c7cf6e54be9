#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "ramet/base/run_interrupt.h"
#include "ramet/op/op.h"

// Mfcc: mel-frequency cepstral coefficients of a spectrogram.

namespace ramet {
namespace {

double HertzToMel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

// Truncates x to an int; large numbers and NaN become the nearest bound.
int64_t Truncated(double x) {
  constexpr double kMax = std::numeric_limits<int32_t>::max();
  return x >= -kMax ? static_cast<int64_t>(std::min(x, kMax)) : -static_cast<int64_t>(kMax);
}

struct MelSettings {
  int64_t bins;     // frequencies of the spectrogram
  double rate;      // of samples, in Hertz
  int64_t filters;  // triangles, evenly spaced on the mel scale, that overlap by half
  double lowest, highest;

  // NaN limits count as valid, as in TensorFlow.
  bool valid() const {
    return filters >= 1 && rate > 0 && bins >= 2 && !(lowest < 0) && !(highest <= lowest);
  }
};

// A MelFilters adds up the magnitudes of a spectrogram under triangles of the mel scale. A
// frequency between the centers of two triangles contributes to both.
class MelFilters {
 public:
  explicit MelFilters(const MelSettings& s) : filters_(s.filters) {
    const double low = HertzToMel(s.lowest);
    const double spacing = (HertzToMel(s.highest) - low) / static_cast<double>(s.filters + 1);
    const auto center = [&](int64_t i) { return low + spacing * static_cast<double>(i + 1); };
    const double bin_hertz = 0.5 * s.rate / static_cast<double>(s.bins - 1);
    // The constant part of a signal is excluded.
    begin_ = Truncated(1.5 + s.lowest / bin_hertz);
    end_ = Truncated(s.highest / bin_hertz) + 1;
    if (end_ > s.bins) return;
    int64_t next = 0;  // the first triangle whose center is not below the frequency
    for (int64_t i = begin_; i < end_; ++i) {
      const double mel = HertzToMel(static_cast<double>(i) * bin_hertz);
      while (next < s.filters && center(next) < mel) ++next;
      const double before = next > 0 ? center(next - 1) : low;
      next_.push_back(next);
      falling_.push_back((center(next) - mel) / (center(next) - before));
    }
  }

  // Reports whether the spectrogram lacks frequencies up to the highest one.
  bool too_few_bins(int64_t bins) const { return end_ > bins; }

  void Apply(const float* squares, std::vector<double>& out) const {
    std::ranges::fill(out, 0.0);
    for (size_t i = 0; i < next_.size(); ++i) {
      const double magnitude = std::sqrt(double{squares[begin_ + static_cast<int64_t>(i)]});
      const double falling = magnitude * falling_[i];
      if (next_[i] > 0) out[next_[i] - 1] += falling;
      if (next_[i] < filters_) out[next_[i]] += magnitude - falling;
    }
  }

 private:
  const int64_t filters_;
  int64_t begin_, end_;
  std::vector<int64_t> next_;
  std::vector<double> falling_;  // the share of the triangle before the next
};

// A CosineTransform computes orthonormal cosine transforms (without the factor for k = 0) of n
// numbers.
class CosineTransform {
 public:
  explicit CosineTransform(int64_t n) : n_(n), cosines_(static_cast<size_t>(4 * n)) {
    const double scale = std::sqrt(2 / static_cast<double>(n));
    for (int64_t i = 0; i < 4 * n; ++i) {
      const double quarters = static_cast<double>(i) / static_cast<double>(n);
      cosines_[i] = scale * std::cos(quarters * std::numbers::pi / 2);
    }
  }

  // Returns the sum of x[j] * cos(pi * k * (j + 0.5) / n).
  double Coefficient(const std::vector<double>& x, int64_t k) const {
    double sum = 0;
    for (int64_t j = 0; j < n_; ++j) sum += cosines_[k * (2 * j + 1) % (4 * n_)] * x[j];
    return sum;
  }

 private:
  const int64_t n_;
  std::vector<double> cosines_;  // over one turn, scaled
};

class MfccKernel final : public Kernel {
 public:
  MfccKernel(MelSettings settings, int64_t coefficients)
      : settings_(settings), coefficients_(coefficients) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    const AttrMap& attrs = *node.attrs;
    const MelSettings settings = {0, 0, attrs.GetOr("filterbank_channel_count", int64_t{40}),
                                  attrs.GetOr("lower_frequency_limit", 20.0f),
                                  attrs.GetOr("upper_frequency_limit", 4000.0f)};
    return std::unique_ptr<Kernel>(
        std::make_unique<MfccKernel>(settings, attrs.GetOr("dct_coefficient_count", int64_t{13})));
  }

  Status Compute(KernelContext& c) override {
    const Tensor &spectrogram = c.input(0), &rate = c.input(1);
    if (spectrogram.rank() != 3) {
      return InvalidArgument("spectrogram must be 3-dimensional", spectrogram.shape());
    }
    if (rate.rank() != 0) {
      return InvalidArgument("Input sample_rate should be a scalar tensor, got ", rate.shape(),
                             " instead.");
    }
    MelSettings settings = settings_;
    settings.bins = spectrogram.dim(2);
    settings.rate = rate.scalar<int32_t>();
    if (!settings.valid() || coefficients_ < 1 || coefficients_ > settings.filters) {
      return InvalidArgument("Mfcc initialization failed for channel count ", settings.bins,
                             ", sample rate ", rate.scalar<int32_t>(),
                             " and filterbank_channel_count ", settings.filters);
    }
    const Shape shape{spectrogram.dim(0), spectrogram.dim(1), coefficients_};
    RAMET_ASSIGN_OR_RETURN(Tensor * output, c.Allocate(0, kFloat, shape));
    if (output->num_elements() > 0) Transform(settings, spectrogram, *output);
    return OkStatus();
  }

 private:
  void Transform(const MelSettings& settings, const Tensor& spectrogram, Tensor& output) const {
    const std::span<float> coefficients = output.mutable_flat<float>();
    const MelFilters filters(settings);
    if (filters.too_few_bins(settings.bins)) {
      std::ranges::fill(coefficients, 0.0f);
      return;
    }
    const CosineTransform transform(settings.filters);
    std::vector<double> logs(static_cast<size_t>(settings.filters));
    const float* squares = spectrogram.data<float>();
    for (size_t i = 0; i < coefficients.size(); squares += settings.bins) {
      constexpr double kLeast = 1e-12;
      filters.Apply(squares, logs);
      for (double& x : logs) x = std::log(x < kLeast ? kLeast : x);
      for (int64_t k = 0; k < coefficients_; ++k) {
        if (StopDue()) return;
        coefficients[i++] = static_cast<float>(transform.Coefficient(logs, k));
      }
    }
  }

  const MelSettings settings_;
  const int64_t coefficients_;
};

Status MfccShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape spectrogram, c.WithRank(0, 3));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  RAMET_ASSIGN_OR_RETURN(const int64_t count, c.attr<int64_t>("dct_coefficient_count"));
  // The kernel reports a negative number.
  c.set_output(0, Shape{spectrogram.dim(0), spectrogram.dim(1), std::max(count, int64_t{-1})});
  return OkStatus();
}

RAMET_OP("Mfcc")
    .Input("spectrogram: float")
    .Input("sample_rate: int32")
    .Output("output: float")
    .Attr("upper_frequency_limit: float = 4000")
    .Attr("lower_frequency_limit: float = 20")
    .Attr("filterbank_channel_count: int = 40")
    .Attr("dct_coefficient_count: int = 13")
    .AttrRange("filterbank_channel_count", std::numeric_limits<int32_t>::min(), 1 << 24)
    .Doc(
        "Returns the first dct_coefficient_count mel-frequency cepstral coefficients of squared "
        "spectrograms [channels, windows, frequencies], as from AudioSpectrogram: the cosine "
        "transform of the logarithms of the sums under filterbank_channel_count triangles on the "
        "mel scale, between lower_frequency_limit and upper_frequency_limit in Hertz. The result "
        "is 0 if the spectrogram ends below upper_frequency_limit. Error: the rank is not 3; "
        "sample_rate is not a positive scalar; there are fewer than two frequencies; the limits "
        "are not in order; there are more coefficients than triangles.")
    .HostMemory({"sample_rate"})
    .Shape(MfccShape)
    .CpuKernelClass<MfccKernel>();

}  // namespace
}  // namespace ramet
