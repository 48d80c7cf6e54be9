#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/fft.h"
#include "ramet/op/op.h"

// AudioSpectrogram: the strengths of the frequencies in each window of a sound.

namespace ramet {
namespace {

struct Windows {
  int64_t size, stride;

  static StatusOr<Windows> Parse(const AttrMap& attrs) {
    RAMET_ASSIGN_OR_RETURN(const int64_t size, attrs.Get<int64_t>("window_size"));
    RAMET_ASSIGN_OR_RETURN(const int64_t stride, attrs.Get<int64_t>("stride"));
    if (size <= 1) return InvalidArgument("window size must be > 1, got ", size);
    if (stride <= 0) return InvalidArgument("stride must be strictly positive, got ", stride);
    return Windows{size, stride};
  }

  int64_t transform_length() const {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size)));
  }
  int64_t frequencies() const { return 1 + transform_length() / 2; }
  int64_t Count(int64_t samples) const {
    return samples < size ? 0 : 1 + (samples - size) / stride;
  }
};

Status SpectrogramShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape input, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Windows windows, Windows::Parse(c.attrs()));
  const int64_t samples = input.dim(0);
  c.set_output(0, Shape{input.dim(1), samples < 0 ? Shape::kUnknownDim : windows.Count(samples),
                        windows.frequencies()});
  return OkStatus();
}

std::vector<double> HannWindow(int64_t size) {
  std::vector<double> window(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const double turns = static_cast<double>(i) / static_cast<double>(size);
    window[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * turns);
  }
  return window;
}

class SpectrogramKernel final : public Kernel {
 public:
  SpectrogramKernel(Windows windows, bool squared) : windows_(windows), squared_(squared) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const Windows windows, Windows::Parse(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<SpectrogramKernel>(
        windows, node.attrs->GetOr("magnitude_squared", false)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& input = c.input(0);
    if (input.rank() != 2) return InvalidArgument("input must be 2-dimensional", input.shape());
    const int64_t channels = input.dim(1), count = windows_.Count(input.dim(0));
    RAMET_ASSIGN_OR_RETURN(Tensor * output,
                           c.Allocate(0, kFloat, Shape{channels, count, windows_.frequencies()}));
    if (output->num_elements() == 0) return OkStatus();
    const int64_t length = windows_.transform_length();
    if (length > linalg::Fft<double>::kMaxLength) {
      return InvalidArgument("a window of ", windows_.size, " samples is too long; the limit is ",
                             linalg::Fft<double>::kMaxLength);
    }
    linalg::FftPool<double>::Lease plan(pool_, length);
    const std::vector<double> window = HannWindow(windows_.size);
    std::vector<double> samples(static_cast<size_t>(length), 0.0);
    std::vector<std::complex<double>> spectrum(static_cast<size_t>(windows_.frequencies()));
    float* out = output->mutable_data<float>();
    for (int64_t row = 0; row < channels * count && !StopDue(); ++row) {
      const float* const first =
          input.data<float>() + row % count * windows_.stride * channels + row / count;
      for (int64_t i = 0; i < windows_.size; ++i) {
        samples[i] = double{first[i * channels]} * window[i];
      }
      plan->ForwardReal(samples.data(), spectrum.data());
      for (const std::complex<double>& s : spectrum) *out++ = Strength(s);
    }
    return OkStatus();
  }

 private:
  // Squares are rounded to float before the root is taken, as in TensorFlow.
  float Strength(const std::complex<double>& s) const {
    const auto square = static_cast<float>(s.real() * s.real() + s.imag() * s.imag());
    return squared_ ? square : std::sqrt(square);
  }

  const Windows windows_;
  const bool squared_;
  linalg::FftPool<double> pool_;
};

RAMET_OP("AudioSpectrogram")
    .Input("input: float")
    .Output("spectrogram: float")
    .Attr("window_size: int")
    .Attr("stride: int")
    .Attr("magnitude_squared: bool = false")
    .Doc(
        "Returns the magnitudes, or their squares, of the Fourier transforms of windows of sounds "
        "[samples, channels], as [channels, windows, frequencies]. A window has window_size "
        "samples, multiplied by a Hann window and padded to a power of two, and starts `stride` "
        "samples after the one before it. Error: the rank is not 2; window_size is below 2 or "
        "above 2^26; `stride` is not positive.")
    .Shape(SpectrogramShape)
    .CpuKernelClass<SpectrogramKernel>();

}  // namespace
}  // namespace ramet
