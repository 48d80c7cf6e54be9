#include "ramet/linalg/filter_gradient.h"

#include <algorithm>
#include <cstring>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/filter_gradient_args.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// With fewer input channels a tile is too small, and one tap does not pay for copies.
constexpr int64_t kMinInputChannels = 4;
constexpr int64_t kMinTaps = 2;
// A band has about as many output pixels. Copies of its channels stay in the caches while all taps
// use them.
constexpr int64_t kBandPixels = 512;
// Up to this number of channels, the channels of a pixel are one line of the cache.
constexpr int64_t kLineChannels = 16;
// Multiplications that justify a thread, as in conv_onednn.cc.
constexpr int64_t kMinTaskMultiplications = 1 << 18;

int64_t Quotient(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Positions [begin, end) along a dimension.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

// Returns the output positions of `among` whose windows have this tap inside of the image.
Range PositionsOf(const ConvGeometry& g, int d, int64_t tap, Range among) {
  const int64_t first = g.pad[d] - tap * g.dilation[d], last = first + g.in[d] - 1;
  const int64_t begin = std::max(first > 0 ? Quotient(first, g.stride[d]) : 0, among.begin);
  const int64_t end = last < 0 ? 0 : std::min(last / g.stride[d] + 1, among.end);
  return {std::min(begin, end), end};
}

// Some images, or some rows of one image.
struct Band {
  Range images;
  Range rows;     // of the output
  Range in_rows;  // that windows of these rows read
};

// Divides the output into bands by its shape alone.
class Bands {
 public:
  explicit Bands(const ConvGeometry& g) : g_(g) {
    const int64_t row = g.out[0] * g.out[2];
    rows_ = std::clamp<int64_t>(kBandPixels / row, 1, g.out[1]);
    images_ = rows_ < g.out[1] ? 1 : std::max<int64_t>(kBandPixels / (row * g.out[1]), 1);
    per_image_ = Quotient(g.out[1], rows_);
  }

  int64_t count() const { return Quotient(g_.batch, images_) * per_image_; }
  Band At(int64_t i) const {
    Band band;
    band.images.begin = i / per_image_ * images_;
    band.images.end = std::min(band.images.begin + images_, g_.batch);
    band.rows.begin = i % per_image_ * rows_;
    band.rows.end = std::min(band.rows.begin + rows_, g_.out[1]);
    const int64_t first = band.rows.begin * g_.stride[1] - g_.pad[1];
    const int64_t last =
        (band.rows.end - 1) * g_.stride[1] - g_.pad[1] + (g_.filter[1] - 1) * g_.dilation[1];
    band.in_rows.end = std::clamp<int64_t>(last + 1, 0, g_.in[1]);
    band.in_rows.begin = std::clamp<int64_t>(first, 0, band.in_rows.end);
    return band;
  }

 private:
  const ConvGeometry& g_;
  int64_t rows_, images_, per_image_;
};

// A band of an operand: all channels in place, or a copy of some of them without gaps.
struct BandView {
  const float* data;  // the first pixel's first channel
  int64_t step[4];    // between images, planes, rows and pixels

  // `sizes` are those of a whole image.
  BandView(const float* whole, const int64_t* sizes, int64_t channels, Range images, Range rows) {
    SetSteps(channels, sizes[2], sizes[1], sizes[0]);
    data = whole + images.begin * step[0] + rows.begin * step[2];
  }

  // Copies n channels from `first` on to scratch memory of the calling thread.
  BandView Copied(ScratchUse use, const int64_t* sizes, Range images, Range rows, int64_t first,
                  int64_t n) const {
    BandView copy = *this;
    copy.SetSteps(n, sizes[2], rows.size(), sizes[0]);
    float* to = static_cast<float*>(Scratch(use, images.size() * copy.step[0] * int64_t{4}));
    copy.data = to;
    for (int64_t i = 0; i < images.size() * sizes[0]; ++i) {
      const float* from = data + first + i / sizes[0] * step[0] + i % sizes[0] * step[1];
      for (int64_t r = 0; r < rows.size(); ++r, from += step[2]) {
        to = CopyPixels(from, sizes[2], n, to);
      }
    }
    return copy;
  }

 private:
  void SetSteps(int64_t channels, int64_t width, int64_t rows, int64_t planes) {
    step[3] = channels;
    step[2] = channels * width;
    step[1] = step[2] * rows;
    step[0] = step[1] * planes;
  }
  float* CopyPixels(const float* from, int64_t pixels, int64_t n, float* to) const {
    for (int64_t p = 0; p < pixels; ++p, from += step[3], to += n) {
      for (int64_t c = 0; c < n; ++c) to[c] = from[c];
    }
    return to;
  }
};

// The gradient of a filter in tasks, which are groups of input channels, blocks of output channels,
// and taps. Tasks that share channels follow each other.
class FilterGradient {
 public:
  FilterGradient(const ConvGeometry& g, const float* x, const float* dy, float* df)
      : g_(g),
        x_(x),
        dy_(dy),
        df_(df),
        width_(2 * Kernels().conv.lanes),
        blocks_(Quotient(g.out_channels, width_)),
        groups_(Quotient(g.in_channels, Kernels().conv.filter_gradient_rows)) {}

  int64_t tasks() const { return groups_ * blocks_ * g_.taps(); }

  // Adds the products of a band to the tasks' parts of the gradient, or starts them.
  void Run(const Band& band, bool accumulate, int64_t begin, int64_t end) const {
    const BandView x(x_, g_.in, g_.in_channels, band.images, band.in_rows);
    const BandView dy(dy_, g_.out, g_.out_channels, band.images, band.rows);
    BandView some_x = x, some_dy = dy;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t channels = i / g_.taps(), group = channels / blocks_;
      const int64_t block = channels % blocks_;
      const bool new_block = i == begin || i % g_.taps() == 0;
      if (new_block && (i == begin || block == 0)) some_x = GroupOf(x, band, group);
      if (new_block) some_dy = BlockOf(dy, band, block);
      RunTap(band, some_x, some_dy, group, block, i % g_.taps(), accumulate);
    }
  }

 private:
  int64_t FirstOf(int64_t group) const { return g_.in_channels * group / groups_; }
  int64_t WidthOf(int64_t block) const {
    return std::min(width_, g_.out_channels - block * width_);
  }

  BandView GroupOf(const BandView& x, const Band& band, int64_t group) const {
    const int64_t first = FirstOf(group), n = FirstOf(group + 1) - first;
    if (g_.in_channels > kLineChannels) {
      return x.Copied(ScratchUse::kConvX, g_.in, band.images, band.in_rows, first, n);
    }
    BandView part = x;
    part.data += first;
    return part;
  }

  BandView BlockOf(const BandView& dy, const Band& band, int64_t block) const {
    if (blocks_ == 1) return dy;
    return dy.Copied(ScratchUse::kConvY, g_.out, band.images, band.rows, block * width_,
                     WidthOf(block));
  }

  void RunTap(const Band& band, const BandView& x, const BandView& dy, int64_t group, int64_t block,
              int64_t tap, bool accumulate) const {
    FilterGradientArea area;
    area.x = x.data;
    area.dy = dy.data;
    area.df = df_ + (tap * g_.in_channels + FirstOf(group)) * g_.out_channels + block * width_;
    area.df_row = g_.out_channels;
    area.rows = FirstOf(group + 1) - FirstOf(group);
    area.narrow = WidthOf(block) < width_;
    area.accumulate = accumulate;
    area.pixels[0] = band.images.size();
    area.x_step[0] = x.step[0];
    area.dy_step[0] = dy.step[0];
    const int64_t taps[3] = {tap / (g_.filter[1] * g_.filter[2]), tap / g_.filter[2] % g_.filter[1],
                             tap % g_.filter[2]};
    for (int d = 0; d < 3; ++d) {
      const Range all = d == 1 ? band.rows : Range{0, g_.out[d]};
      const Range range = PositionsOf(g_, d, taps[d], all);
      const int64_t at = range.begin * g_.stride[d] - g_.pad[d] + taps[d] * g_.dilation[d];
      area.pixels[d + 1] = range.size();
      area.x += (at - (d == 1 ? band.in_rows.begin : 0)) * x.step[d + 1];
      area.dy += (range.begin - all.begin) * dy.step[d + 1];
      area.x_step[d + 1] = x.step[d + 1] * g_.stride[d];
      area.dy_step[d + 1] = dy.step[d + 1];
    }
    Kernels().conv.filter_gradient(area);
  }

  const ConvGeometry& g_;
  const float *x_, *dy_;
  float* df_;
  const int64_t width_, blocks_, groups_;
};

bool Pays(const ConvGeometry& g) {
  if (std::ranges::any_of(g.stride, [](int64_t stride) { return stride != 1; })) return false;
  return !g.channels_first && g.groups == 1 && g.in_channels >= kMinInputChannels &&
         g.taps() >= kMinTaps && g.out_channels % Kernels().conv.lanes == 0;
}

}  // namespace

bool DirectFilterGradient(const ConvGeometry& g, const float* x, const float* dy, float* dfilter) {
  if (Deterministic() || !Pays(g)) return false;
  FilterGradientOf(g, x, dy, dfilter);
  return true;
}

void FilterGradientOf(const ConvGeometry& g, const float* x, const float* dy, float* dfilter) {
  const FilterGradient gradient(g, x, dy, dfilter);
  const Bands bands(g);
  const int64_t work = g.out_elements() / gradient.tasks() * g.taps() * g.in_channels;
  const StopCheck stop;
  ParallelFor(gradient.tasks(), kMinTaskMultiplications / (work + 1) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = 0; i < bands.count() && !stop.due(); ++i) {
                  gradient.Run(bands.At(i), i > 0, begin, end);
                }
              });
}

}  // namespace ramet::linalg
