#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

// The kernel of packed_gemm.h. A panel holds some columns of the right operand, row after row. A
// tile of the result, rows of the left operand times one panel, is summed up in registers.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

using Floats = Vector<float>;

constexpr int kLanes = kVectorBytes / sizeof(float);
constexpr int kVectors = 2;
constexpr int kColumns = kVectors * kLanes;
// The sums fill the 16 or 32 registers, except those for a row of the panel and a factor.
constexpr int kTileRows = kLanes > 8 ? 12 : 6;

// Copies columns of a matrix to a panel. Columns after the last one are zeros.
void Pack(const PanelArgs& p) {
  for (int64_t i = 0; i < p.depth; ++i) {
    const float* from = p.b + i * p.ld;
    float* to = p.panel + i * kColumns;
    if (p.columns == kColumns) {
      std::memcpy(to, from, kColumns * sizeof(float));
      continue;
    }
    for (int64_t j = 0; j < kColumns; ++j) to[j] = j < p.columns ? from[j] : 0.0f;
  }
}

// Copies rows of a matrix that is stored transposed.
void PackTransposed(const PanelArgs& p) {
  // Reads whole cache lines of each row of the matrix.
  constexpr int64_t kDepth = 16;
  for (int64_t begin = 0; begin < p.depth; begin += kDepth) {
    const int64_t end = begin + kDepth < p.depth ? begin + kDepth : p.depth;
    for (int64_t j = 0; j < kColumns; ++j) {
      const float* from = p.b + j * p.ld;
      for (int64_t i = begin; i < end; ++i) {
        p.panel[i * kColumns + j] = j < p.columns ? from[i] : 0.0f;
      }
    }
  }
}

// Finishes a sum of column `at` of a panel; `c` has the earlier value.
[[gnu::always_inline]] inline Floats Finished(Floats sum, const PanelMultiplyArgs& p, int64_t at,
                                              const float* c) {
  if (p.accumulate) sum = Load(c) + sum;
  if (p.bias != nullptr) sum = sum + Load(p.bias + at);
  if (p.relu) sum = sum <= 0 ? Floats{} : sum;
  return sum;
}

// Finishes and writes rows of a panel that is not whole.
void StorePart(const float* sums, int rows, const PanelMultiplyArgs& p, float* c) {
  for (int r = 0; r < rows; ++r) {
    float row[kColumns] = {};
    if (p.accumulate) std::memcpy(row, c + r * p.ldc, p.columns * sizeof(float));
    for (int at = 0; at < kColumns; at += kLanes) {
      const Floats sum = Finished(Load(sums + r * kColumns + at), p, at, row + at);
      std::memcpy(row + at, &sum, sizeof sum);
    }
    std::memcpy(c + r * p.ldc, row, p.columns * sizeof(float));
  }
}

// Computes kRows rows of the result.
template <int kRows>
void Tile(const float* a, const PanelMultiplyArgs& p, float* c) {
  Floats sums[kRows][kVectors] = {};
  const float* panel = p.panel;
  for (int64_t i = 0; i < p.depth; ++i, panel += p.panel_row) {
    Floats row[kVectors];
    RAMET_UNROLL
    for (int v = 0; v < kVectors; ++v) row[v] = Load(panel + v * kLanes);
    RAMET_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Floats factor = a[r * p.lda + i] - Floats{};
      RAMET_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] += factor * row[v];
    }
  }
  if (p.columns < kColumns) {
    float part[kRows * kColumns];
    std::memcpy(part, sums, sizeof part);
    return StorePart(part, kRows, p, c);
  }
  RAMET_UNROLL
  for (int r = 0; r < kRows; ++r) {
    RAMET_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float* const to = c + r * p.ldc + v * kLanes;
      const Floats sum = Finished(sums[r][v], p, v * kLanes, to);
      std::memcpy(to, &sum, sizeof sum);
    }
  }
}

using TileFunction = void (*)(const float* a, const PanelMultiplyArgs& p, float* c);
template <int... kRows>
struct TilesOf {
  static constexpr TileFunction kAll[] = {Tile<kRows>...};
};
// The tile with r rows is at position r - 1.
#if defined(__AVX512F__)
constexpr auto& kTiles = TilesOf<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>::kAll;
#else
constexpr auto& kTiles = TilesOf<1, 2, 3, 4, 5, 6>::kAll;
#endif
static_assert(sizeof kTiles / sizeof kTiles[0] == kTileRows);

// Rows are cut into tiles of about equal height, because low tiles use the processor less well.
void MultiplyRows(const PanelMultiplyArgs& p) {
  const int64_t tiles = (p.rows + kTileRows - 1) / kTileRows;
  int64_t row = 0;
  for (int64_t left = tiles; left > 0; --left) {
    const int64_t rows = (p.rows - row + left - 1) / left;
    kTiles[rows - 1](p.a + row * p.lda, p, p.c + row * p.ldc);
    row += rows;
  }
}

void MultiplyPanel(const PanelMultiplyArgs& p) {
  if (p.bias == nullptr || p.columns == kColumns) return MultiplyRows(p);
  float bias[kColumns] = {};
  std::memcpy(bias, p.bias, p.columns * sizeof(float));
  PanelMultiplyArgs padded = p;
  padded.bias = bias;
  MultiplyRows(padded);
}

}  // namespace

void AddPanels(KernelTable& t) {
  t.float_products.panel_columns = kColumns;
  t.float_products.pack = Pack;
  t.float_products.pack_transposed = PackTransposed;
  t.float_products.multiply_panel = MultiplyPanel;
}

}  // namespace ramet::linalg::RAMET_LEVEL
