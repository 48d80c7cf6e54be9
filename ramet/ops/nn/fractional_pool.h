#pragma once

#include <algorithm>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/random/random_state.h"

// Fractional pooling: pooling with windows of different sizes, of which a random sequence says
// where they start (Graham, "Fractional max-pooling").

namespace ramet {

// A FractionalPool holds the attrs of a fractional pooling op. A plain value.
struct FractionalPool {
  std::vector<float> ratio;  // of an input dimension to an output dimension, at least 1
  bool pseudo_random = false, overlapping = false, deterministic = false;
  uint64_t seed = 0, seed2 = 0;

  // `kind` is max or average, for messages.
  // \error kInvalidArgument: pooling_ratio does not have 4 elements of at least 1, or a seed is set
  //   although `deterministic` is not.
  // \error kUnimplemented: pooling_ratio is not 1 for the batch or for the channels.
  static StatusOr<FractionalPool> Parse(const AttrMap& attrs, std::string_view kind);

  // Returns the size of output dimension d.
  int64_t OutputSize(int d, int64_t in) const;
  // Sets `rows` and `columns` to the sequences of the first rows and columns of windows, followed
  // by the size of the input.
  void Draw(int64_t height, int64_t width, std::span<int64_t> rows,
            std::span<int64_t> columns) const;
};

// Returns pooling_ratio.
// \error kInvalidArgument: it does not have 4 elements of at least 1.
StatusOr<std::vector<float>> PoolingRatio(const AttrMap& attrs);

// The elements of a dimension that a window covers: [begin, end).
struct PoolSpan {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// Returns the span of window i of a sequence in a dimension of size `in`. It is empty if the
// sequence does not increase. Overlapping windows share an element with the next one.
inline PoolSpan SpanOf(const int64_t* sequence, int64_t i, int64_t in, bool overlapping) {
  const int64_t begin = std::clamp<int64_t>(sequence[i], 0, in);
  const int64_t next = std::clamp<int64_t>(sequence[i + 1], 0, in);
  return {begin, std::max(begin, std::min(in, next + (overlapping ? 1 : 0)))};
}

// The sizes of images [batch, height, width, channels] and of their pooled images.
struct PoolSizes {
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  int64_t rows = 0, columns = 0;

  // Calls fn(image, y, x, window) for each window: the number of the image, the spans of the
  // window, and the number of the window, counted through all images.
  template <class Fn>
  void ForEachWindow(const int64_t* row_sequence, const int64_t* column_sequence, bool overlapping,
                     Fn&& fn) const {
    int64_t window = 0;
    for (int64_t image = 0; image < batch; ++image) {
      for (int64_t i = 0; i < rows; ++i) {
        const PoolSpan y = SpanOf(row_sequence, i, height, overlapping);
        for (int64_t j = 0; j < columns; ++j) {
          fn(image, y, SpanOf(column_sequence, j, width, overlapping), window++);
        }
      }
    }
  }
  // Calls fn(first element of a pixel) for each pixel of a window.
  template <class Fn>
  void ForEachPixel(int64_t image, const PoolSpan& y, const PoolSpan& x, Fn&& fn) const {
    for (int64_t i = y.begin; i < y.end; ++i) {
      for (int64_t j = x.begin; j < x.end; ++j) fn(((image * height + i) * width + j) * channels);
    }
  }
};

// The shape function of the ops that pool.
Status FractionalPoolShape(ShapeContext& c);

}  // namespace ramet
