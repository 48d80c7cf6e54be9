#include "ramet/linalg/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/wide_operands.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread (ramet_linalg_bench batch_norm/*). About as many are summed in one
// piece.
constexpr int64_t kPieceElements = 1 << 14;

// Splits x into pieces by its shape alone: some rows of all channels, or a part of one channel of
// one image.
class Pieces {
 public:
  explicit Pieces(const NormGeometry& g) : g_(g), by_column_(g.inner == 1) {
    const int64_t length = by_column_ ? g.outer : g.inner;
    const int64_t width = by_column_ ? g.channels : 1;
    step_ = std::max<int64_t>(1, kPieceElements / width);
    per_plane_ = (length + step_ - 1) / step_;
    count_ = by_column_ ? per_plane_ : per_plane_ * g.outer * g.channels;
  }

  int64_t count() const { return count_; }
  bool by_column() const { return by_column_; }
  // Calls fn(args, first channel) for piece i, where args is `all` advanced to it.
  template <class Fn>
  void Visit(const NormArgs& all, int64_t i, Fn&& fn) const {
    const int64_t plane = i / per_plane_, begin = i % per_plane_ * step_;
    const int64_t length = std::min(step_, (by_column_ ? g_.outer : g_.inner) - begin);
    const int64_t channel = by_column_ ? 0 : plane % g_.channels;
    const int64_t at = by_column_ ? begin * g_.channels : plane * g_.inner + begin;
    NormArgs part = all;
    part.x += at;
    part.dy += at;
    if (part.y != nullptr) part.y += at;
    part.rows = by_column_ ? length : 1;
    part.n = by_column_ ? g_.channels : length;
    part.by_column = by_column_;
    for (const float** p : {&part.mean, &part.factor, &part.shift, &part.dy_mean, &part.dy_slope}) {
      if (*p != nullptr) *p += channel;
    }
    fn(part, channel);
  }

 private:
  const NormGeometry& g_;
  const bool by_column_;
  int64_t step_, per_plane_, count_;
};

// Computes one or two kinds of sums per channel in double, from the pieces' sums in order.
void SumPieces(const NormGeometry& g, const NormArgs& all, KernelTable::NormSums kernel, int kinds,
               double* sums) {
  const Pieces pieces(g);
  const int64_t width = pieces.by_column() ? g.channels : 1;
  float* parts = static_cast<float*>(
      Scratch(ScratchUse::kPartial, pieces.count() * width * kinds * int64_t{sizeof(float)}));
  ParallelFor(pieces.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* to = parts + i * width * kinds;
      pieces.Visit(all, i, [&](const NormArgs& part, int64_t) { kernel(part, to, to + width); });
    }
  });
  std::fill_n(sums, kinds * g.channels, 0.0);
  for (int64_t i = 0; i < pieces.count(); ++i) {
    pieces.Visit(all, i, [&](const NormArgs&, int64_t channel) {
      for (int k = 0; k < kinds; ++k) {
        const float* from = parts + (i * kinds + k) * width;
        for (int64_t c = 0; c < width; ++c) sums[k * g.channels + channel + c] += from[c];
      }
    });
  }
}

void MapPieces(const NormGeometry& g, const NormArgs& all, KernelTable::NormMap kernel) {
  const Pieces pieces(g);
  ParallelFor(pieces.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pieces.Visit(all, i, [&](const NormArgs& part, int64_t) { kernel(part); });
    }
  });
}

// Returns x in float.
const float* Floats(Type type, ScratchUse use, const void* x, int64_t n) {
  return static_cast<const float*>(Wide(type, use, x, n));
}

float* FloatResult(Type type, void* y, int64_t n) {
  return static_cast<float*>(WideResult(type, ScratchUse::kWideY, y, n));
}

template <class T>
T* Numbers(ScratchUse use, int64_t n) {
  return static_cast<T*>(Scratch(use, n * int64_t{sizeof(T)}));
}

}  // namespace

void BatchMoments(Type type, const NormGeometry& g, const void* x, float* mean, float* variance) {
  const float* wide = Floats(type, ScratchUse::kWideX, x, g.elements());
  NormArgs args;
  args.x = args.dy = wide;
  args.mean = mean;
  double* sums = Numbers<double>(ScratchUse::kNormSums, g.channels);
  std::fill_n(mean, g.channels, 0.0f);
  SumPieces(g, args, Kernels().norm_sum, 1, sums);
  const double count = static_cast<double>(g.count());
  for (int64_t c = 0; c < g.channels; ++c) mean[c] = static_cast<float>(sums[c] / count);
  SumPieces(g, args, Kernels().norm_sum_squares, 1, sums);
  for (int64_t c = 0; c < g.channels; ++c) variance[c] = static_cast<float>(sums[c] / count);
}

void BatchNormalize(Type type, const NormGeometry& g, const void* x, const float* mean,
                    const float* variance, float epsilon, const float* scale, const float* offset,
                    void* y) {
  float* factor = Numbers<float>(ScratchUse::kNormNumbers, g.channels);
  for (int64_t c = 0; c < g.channels; ++c) factor[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  const float* wide = Floats(type, ScratchUse::kWideX, x, g.elements());
  float* result = FloatResult(type, y, g.elements());
  NormArgs args;
  args.x = args.dy = wide;
  args.y = result;
  args.mean = mean;
  args.factor = factor;
  args.shift = offset;
  MapPieces(g, args, Kernels().normalize);
  Narrow(type, result, y, g.elements());
}

void BatchNormGrad(Type type, const NormGeometry& g, const void* x, const void* dy,
                   const float* mean, const float* variance, float epsilon, const float* scale,
                   bool training, void* dx, float* dscale, float* doffset) {
  const int64_t n = g.elements(), channels = g.channels;
  const float* wide = Floats(type, ScratchUse::kWideX, x, n);
  const float* wide_dy = Floats(type, ScratchUse::kWideFilter, dy, n);
  float* numbers = Numbers<float>(ScratchUse::kNormNumbers, 3 * channels);
  float *factor = numbers, *dy_mean = numbers + channels, *dy_slope = numbers + 2 * channels;
  NormArgs args;
  args.x = wide;
  args.dy = wide_dy;
  args.mean = mean;
  double* sums = Numbers<double>(ScratchUse::kNormSums, 2 * channels);
  SumPieces(g, args, Kernels().norm_sum_grads, 2, sums);
  const double count = static_cast<double>(g.count());
  for (int64_t c = 0; c < channels; ++c) {
    const double spread = double{variance[c]} + epsilon, product = sums[channels + c];
    const double inverse = 1 / std::sqrt(spread);
    dscale[c] = static_cast<float>(product * inverse);
    doffset[c] = static_cast<float>(sums[c]);
    factor[c] = static_cast<float>(scale[c] * inverse);
    dy_mean[c] = training ? static_cast<float>(sums[c] / count) : 0.0f;
    dy_slope[c] = training ? static_cast<float>(product / count / spread) : 0.0f;
  }
  float* result = FloatResult(type, dx, n);
  args.y = result;
  args.factor = factor;
  args.dy_mean = dy_mean;
  args.dy_slope = dy_slope;
  MapPieces(g, args, Kernels().norm_grad);
  Narrow(type, result, dx, n);
}

}  // namespace ramet::linalg
