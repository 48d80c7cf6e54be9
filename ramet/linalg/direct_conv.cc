#include "ramet/linalg/direct_conv.h"

#include <algorithm>
#include <cstring>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/direct_conv_args.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Below this, writing the result takes as long as computing it, and oneDNN is faster
// (ramet_linalg_bench conv/*).
constexpr int64_t kMinProducts = 100;
// With an epilogue, oneDNN needs a second pass over the result.
constexpr int64_t kMinProductsWithEpilogue = 16;
// Output pixels are processed in boxes whose input and output stay in the second-level cache.
constexpr int64_t kBoxBytes = 1 << 19;
// Multiplications that justify a thread, as in conv_onednn.cc.
constexpr int64_t kMinTaskMultiplications = 1 << 18;

// Columns of the packed filter: blocks of two vectors, the last one perhaps of one vector.
class Blocks {
 public:
  explicit Blocks(int64_t channels) : lanes_(Kernels().conv.lanes), channels_(channels) {}

  int64_t count() const { return (channels_ + 2 * lanes_ - 1) / (2 * lanes_); }
  int64_t first(int64_t block) const { return block * 2 * lanes_; }
  int64_t channels(int64_t block) const { return std::min(2 * lanes_, channels_ - first(block)); }
  bool narrow(int64_t block) const { return channels(block) <= lanes_; }
  int64_t width(int64_t block) const { return narrow(block) ? lanes_ : 2 * lanes_; }
  // Returns the sum of all widths.
  int64_t columns() const { return first(count() - 1) + width(count() - 1); }

 private:
  const int64_t lanes_, channels_;
};

// Output positions [begin, end) along a dimension whose windows have the taps [tap, tap + taps)
// inside of the image.
struct Segment {
  int64_t begin, end, tap, taps;
};

// Returns the position that window `at` starts at.
int64_t StartOf(const ConvGeometry& g, int d, int64_t at) { return at * g.stride[d] - g.pad[d]; }

Segment TapsAt(const ConvGeometry& g, int d, int64_t at) {
  const int64_t start = StartOf(g, d, at), dilation = g.dilation[d];
  const auto taps = [dilation](int64_t n) { return dilation == 1 ? n : n / dilation; };
  const int64_t first = start < 0 ? taps(dilation - 1 - start) : 0;
  const int64_t last = start < g.in[d] ? taps(g.in[d] - 1 - start) + 1 : 0;
  const int64_t end = std::min(last, g.filter[d]);
  return {at, at + 1, std::min(first, end), std::max<int64_t>(end - first, 0)};
}

// Returns the longest segment from `begin` on, up to `end`.
Segment SegmentAt(const ConvGeometry& g, int d, int64_t begin, int64_t end) {
  Segment segment = TapsAt(g, d, begin);
  for (; segment.end < end; ++segment.end) {
    const Segment next = TapsAt(g, d, segment.end);
    if (next.tap != segment.tap || next.taps != segment.taps) break;
  }
  return segment;
}

// A part of the output: images, and positions along depth, height and width.
struct Box {
  int64_t begin[4], end[4];
};

// Divides the output into boxes by its shape alone.
class Boxes {
 public:
  explicit Boxes(const ConvGeometry& g) : g_(g) {
    const int64_t row =
        g.in[2] * g.in_channels * std::min(g.stride[1], g.in[1]) + g.out[2] * g.out_channels;
    const int64_t rows = g.out[0] * g.out[1];
    const int64_t fit = std::max<int64_t>(kBoxBytes / (row * int64_t{sizeof(float)}), 1);
    images_ = std::clamp<int64_t>(fit / rows, 1, g.batch);
    rows_ = Even(g.out[1], images_ > 1 ? g.out[1] : fit);
    depth_ = images_ > 1 || (rows_ == g.out[1] && fit >= rows) ? g.out[0] : 1;
    images_ = Even(g.batch, images_);
  }

  int64_t count() const { return Count(g_.batch, images_) * per_image(); }
  Box At(int64_t i) const {
    const int64_t in_image = i % per_image();
    Box box;
    Set(box, 0, i / per_image() * images_, images_, g_.batch);
    Set(box, 1, in_image / Count(g_.out[1], rows_) * depth_, depth_, g_.out[0]);
    Set(box, 2, in_image % Count(g_.out[1], rows_) * rows_, rows_, g_.out[1]);
    Set(box, 3, 0, g_.out[2], g_.out[2]);
    return box;
  }

 private:
  static int64_t Count(int64_t n, int64_t step) { return (n + step - 1) / step; }
  // Returns a step of at most `most` that divides n into parts of about the same size.
  static int64_t Even(int64_t n, int64_t most) { return Count(n, Count(n, std::min(most, n))); }
  static void Set(Box& box, int d, int64_t begin, int64_t step, int64_t n) {
    box.begin[d] = begin;
    box.end[d] = std::min(begin + step, n);
  }
  int64_t per_image() const { return Count(g_.out[0], depth_) * Count(g_.out[1], rows_); }

  const ConvGeometry& g_;
  int64_t images_, depth_, rows_;
};

struct Operands {
  const float* x;
  const float* packed;
  ChannelEpilogue epilogue;
  float* y;
};

// One block of channels of a convolution.
class BlockConv {
 public:
  BlockConv(const ConvGeometry& g, const Operands& o, int64_t block) : g_(g), o_(o) {
    const Blocks blocks(g.out_channels);
    channel_ = blocks.first(block);
    width_ = blocks.width(block);
    area_.channels = blocks.channels(block);
    area_.narrow = blocks.narrow(block);
    SetSteps();
  }

  void Run(const Box& box) {
    area_.pixels[0] = box.end[0] - box.begin[0];
    image_ = box.begin[0];
    Segment s[3];
    for (int64_t i = box.begin[1]; i < box.end[1]; i = s[0].end) {
      s[0] = SegmentAt(g_, 0, i, box.end[1]);
      for (int64_t j = box.begin[2]; j < box.end[2]; j = s[1].end) {
        s[1] = SegmentAt(g_, 1, j, box.end[2]);
        for (int64_t l = box.begin[3]; l < box.end[3]; l = s[2].end) {
          s[2] = SegmentAt(g_, 2, l, box.end[3]);
          RunArea(s);
        }
      }
    }
  }

 private:
  void SetSteps() {
    int64_t x = g_.in_channels, y = g_.out_channels, tap = g_.in_channels * width_;
    for (int d = 2; d >= 0; --d) {
      area_.x_step[d + 1] = x * g_.stride[d];
      area_.x_tap[d] = x * g_.dilation[d];
      area_.y_step[d + 1] = y;
      area_.filter_tap[d] = tap;
      x *= g_.in[d];
      y *= g_.out[d];
      tap *= g_.filter[d];
    }
    area_.x_step[0] = x;
    area_.y_step[0] = y;
  }

  void RunArea(const Segment* s) {
    int64_t x = image_ * area_.x_step[0], y = image_ * area_.y_step[0] + channel_;
    area_.filter = o_.packed + channel_ * g_.taps() * g_.in_channels;
    for (int d = 0; d < 3; ++d) {
      x += StartOf(g_, d, s[d].begin) * (area_.x_tap[d] / g_.dilation[d]) +
           s[d].tap * area_.x_tap[d];
      y += s[d].begin * area_.y_step[d + 1];
      area_.filter += s[d].tap * area_.filter_tap[d];
      area_.taps[d] = s[d].taps;
      area_.pixels[d + 1] = s[d].end - s[d].begin;
    }
    area_.run = g_.in_channels;
    if (g_.dilation[2] == 1) {
      area_.run *= s[2].taps;
      area_.taps[2] = 1;
    }
    area_.x = o_.x + x;
    area_.y = o_.y + y;
    area_.epilogue = o_.epilogue.From(channel_, y);
    Kernels().conv.direct(area_);
  }

  const ConvGeometry& g_;
  const Operands& o_;
  int64_t channel_, width_, image_ = 0;
  DirectConvArea area_;
};

bool IsDirect(const ConvGeometry& g, int64_t min_products) {
  return !g.channels_first && g.groups == 1 && g.taps() > 1 &&
         g.taps() * g.in_channels >= min_products;
}

float* PackedRoom(int64_t size) {
  return static_cast<float*>(Scratch(ScratchUse::kConvFilter, size * int64_t{sizeof(float)}));
}

// Packs a filter for the gradient of the input, which is the convolution `InputGradient(g)` of dy.
void PackTurnedFilter(const ConvGeometry& g, const float* filter, float* packed) {
  const Blocks blocks(g.in_channels);
  for (int64_t block = 0; block < blocks.count(); ++block) {
    const int64_t n = blocks.channels(block), width = blocks.width(block);
    for (int64_t tap = g.taps() - 1; tap >= 0; --tap) {
      const float* from = filter + (tap * g.in_channels + blocks.first(block)) * g.out_channels;
      for (int64_t out = 0; out < g.out_channels; ++out, packed += width) {
        for (int64_t c = 0; c < n; ++c) packed[c] = from[c * g.out_channels + out];
        std::fill(packed + n, packed + width, 0.0f);
      }
    }
  }
}

}  // namespace

int64_t PackedFilterSize(const ConvGeometry& g) {
  return g.taps() * g.in_channels * Blocks(g.out_channels).columns();
}

void PackFilter(const ConvGeometry& g, const float* filter, float* packed) {
  const Blocks blocks(g.out_channels);
  const int64_t rows = g.taps() * g.in_channels;
  for (int64_t block = 0; block < blocks.count(); ++block) {
    const int64_t n = blocks.channels(block), width = blocks.width(block);
    const float* from = filter + blocks.first(block);
    for (int64_t row = 0; row < rows; ++row, packed += width, from += g.out_channels) {
      std::memcpy(packed, from, n * sizeof(float));
      std::fill(packed + n, packed + width, 0.0f);
    }
  }
}

bool IsDirectInputGradient(const ConvGeometry& g) {
  for (int d = 0; d < 3; ++d) {
    if (g.stride[d] != 1 || g.pad[d] > (g.filter[d] - 1) * g.dilation[d]) return false;
  }
  return IsDirect(InputGradient(g), kMinProducts);
}

ConvGeometry InputGradient(const ConvGeometry& g) {
  ConvGeometry turned = g;
  std::swap(turned.in_channels, turned.out_channels);
  std::swap(turned.in, turned.out);
  for (int d = 0; d < 3; ++d) turned.pad[d] = (g.filter[d] - 1) * g.dilation[d] - g.pad[d];
  return turned;
}

void ConvPacked(const ConvGeometry& g, const float* x, const float* packed,
                const ChannelEpilogue& epilogue, float* y) {
  if (g.out_elements() == 0) return;
  const Operands operands{x, packed, epilogue, y};
  const Boxes boxes(g);
  const int64_t blocks = Blocks(g.out_channels).count(), tasks = boxes.count() * blocks;
  const int64_t work = g.out_elements() * g.taps() * g.in_channels / tasks;
  const StopCheck stop;
  ParallelFor(tasks, kMinTaskMultiplications / (work + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !stop.due(); ++i) {
      BlockConv(g, operands, i % blocks).Run(boxes.At(i / blocks));
    }
  });
}

bool DirectConvPays(const ConvGeometry& g, const ChannelEpilogue& epilogue) {
  const int64_t least = epilogue.Any() ? kMinProductsWithEpilogue : kMinProducts;
  return !Deterministic() && IsDirect(g, least);
}

bool DirectConv(const ConvGeometry& g, const float* x, const float* filter,
                const ChannelEpilogue& epilogue, float* y) {
  if (!DirectConvPays(g, epilogue)) return false;
  float* packed = PackedRoom(PackedFilterSize(g));
  PackFilter(g, filter, packed);
  ConvPacked(g, x, packed, epilogue, y);
  return true;
}

bool DirectInputGradient(const ConvGeometry& g, const float* filter, const float* dy, float* dx) {
  if (Deterministic() || !IsDirectInputGradient(g)) return false;
  const ConvGeometry turned = InputGradient(g);
  float* packed = PackedRoom(PackedFilterSize(turned));
  PackTurnedFilter(g, filter, packed);
  ConvPacked(turned, dy, packed, {}, dx);
  return true;
}

}  // namespace ramet::linalg
