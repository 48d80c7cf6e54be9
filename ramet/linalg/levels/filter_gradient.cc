#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

// Gradients of filters. A tile is a few input channels times one or two vectors of output channels
// of one tap, whose sums over all pixels stay in registers.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

using Floats = Vector<float>;
constexpr int kLanes = kVectorBytes / sizeof(float);
// With two vectors of output channels, the tile fills the registers.
constexpr int kTileRows = kVectorBytes == 64 ? 8 : 6;

template <int kRows, int kVectors>
struct Tile {
  Floats sums[kRows][kVectors];

  [[gnu::always_inline]] void AddPixel(const float* x, const float* dy) {
    Floats gradient[kVectors];
    for (int v = 0; v < kVectors; ++v) gradient[v] = Load(dy + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] += x[r] * gradient[v];
    }
  }

  [[gnu::always_inline]] void AddAll(const FilterGradientArea& a) {
    for (int64_t n = 0; n < a.pixels[0]; ++n) {
      for (int64_t i = 0; i < a.pixels[1]; ++i) {
        for (int64_t j = 0; j < a.pixels[2]; ++j) {
          const float* x = a.x + n * a.x_step[0] + i * a.x_step[1] + j * a.x_step[2];
          const float* dy = a.dy + n * a.dy_step[0] + i * a.dy_step[1] + j * a.dy_step[2];
          const int64_t x_step = a.x_step[3], dy_step = a.dy_step[3];
          for (int64_t l = a.pixels[3]; l > 0; --l, x += x_step, dy += dy_step) AddPixel(x, dy);
        }
      }
    }
  }

  [[gnu::always_inline]] void Store(const FilterGradientArea& a) const {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        float* const to = a.df + r * a.df_row + v * kLanes;
        const Floats sum = a.accumulate ? Load(to) + sums[r][v] : sums[r][v];
        std::memcpy(to, &sum, sizeof sum);
      }
    }
  }
};

template <int kRows, int kVectors>
void RunTile(const FilterGradientArea& a) {
  Tile<kRows, kVectors> tile = {};
  tile.AddAll(a);
  tile.Store(a);
}

// Runs the tile with as many rows as there are input channels.
template <int kVectors, int kRows = kTileRows>
void RunRows(const FilterGradientArea& a) {
  if constexpr (kRows > 1) {
    if (a.rows < kRows) return RunRows<kVectors, kRows - 1>(a);
  }
  RunTile<kRows, kVectors>(a);
}

void FilterGradient(const FilterGradientArea& area) {
  if (area.narrow) return RunRows<1>(area);
  RunRows<2>(area);
}

}  // namespace

void AddFilterGradient(KernelTable& table) {
  table.conv.filter_gradient = &FilterGradient;
  table.conv.filter_gradient_rows = kTileRows;
}

}  // namespace ramet::linalg::RAMET_LEVEL
