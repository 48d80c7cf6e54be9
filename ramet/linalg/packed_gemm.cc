#include "ramet/linalg/packed_gemm.h"

#include <algorithm>

#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// A panel of this many rows of b stays in the first-level cache (ramet_linalg_bench gemm/packed*).
constexpr int64_t kMaxDepth = 320;
// Bytes of a that stay in the second-level cache while the panels of b go by.
constexpr int64_t kCachedBytes = 1 << 18;
// Bytes of b that are packed at a time in products that do not keep the packed form.
constexpr int64_t kPackedBlockBytes = 1 << 18;
// With this many rows, packing an operand for one product takes longer than it saves.
constexpr int64_t kMaxDirectRows = 32;
// Multiplications that justify a thread (ramet_linalg_bench gemm/packed*).
constexpr int64_t kGrainMultiplications = 1 << 18;

// With one row, reading the operand as it is stored is as fast. With many rows, the time to pack
// does not count, unless the operand stays in the second-level cache, where the product takes the
// least time. Small operands are not worth the memory (ramet_linalg_bench gemm/packed*).
constexpr int64_t kMinRows = 2, kMaxRows = 128;
constexpr int64_t kMaxRowsInCache = 1024, kMaxElementsInCache = 1 << 16;
constexpr int64_t kMinElements = 1 << 11;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t PanelsOf(int64_t n) { return CeilDiv(n, Kernels().float_products.panel_columns); }

// The inner dimension is cut into blocks of equal depth, whose sums are added to the result one
// after the other.
struct Depths {
  explicit Depths(int64_t k) : step(CeilDiv(k, CeilDiv(k, kMaxDepth))) {}
  int64_t step;
};

// One block of the inner dimension, [begin, begin + depth).
struct Block {
  int64_t begin;
  int64_t depth;
};

template <class Fn>
void ForEachBlock(int64_t k, Fn&& fn) {
  const Depths depths(k);
  for (int64_t begin = 0; begin < k; begin += depths.step) {
    fn(Block{begin, std::min(depths.step, k - begin)});
  }
}

// Packs panels [first, last) of one block to `packed`.
void PackPanels(const RightOperand& b, const Block& block, int64_t first, int64_t last,
                float* packed) {
  const int64_t width = Kernels().float_products.panel_columns;
  for (int64_t panel = first; panel < last; ++panel) {
    const int64_t column = panel * width;
    const PanelArgs args{.b = b.transposed ? b.data + column * b.k + block.begin
                                           : b.data + block.begin * b.n + column,
                         .ld = b.transposed ? b.k : b.n,
                         .depth = block.depth,
                         .columns = std::min(width, b.n - column),
                         .panel = packed + (panel - first) * width * block.depth};
    (b.transposed ? Kernels().float_products.pack_transposed : Kernels().float_products.pack)(args);
  }
}

// A product, and the part of it that a thread computes.
struct Product {
  int64_t m;
  const float* a;
  const RightOperand& b;
  const float* packed;  // null: not packed yet
  float* c;
  const PackedGemmOptions& options;
};
struct Part {
  int64_t row, end_row;
  int64_t panel, end_panel;
};

// The memory of a panel of the result.
struct Place {
  float* data;
  int64_t ld;
};
Place PlaceOf(const Product& p, int64_t row, int64_t column) {
  const int64_t width = p.options.piece_columns;
  if (p.options.pieces == nullptr) return {p.c + row * p.b.n + column, p.b.n};
  return {p.options.pieces[column / width] + row * width + column % width, width};
}

// Panels of one block in memory.
struct Panels {
  const float* data;
  int64_t row;   // elements from one row of a panel to the next
  int64_t next;  // elements from one panel to the next
};

// Multiplies rows of a with the panels [first, last) of one block.
void MultiplyPanels(const Product& p, const Block& block, const Part& part, int64_t first,
                    int64_t last, const Panels& panels) {
  const int64_t width = Kernels().float_products.panel_columns;
  const bool last_block = block.begin + block.depth == p.b.k;
  const int64_t fit = std::max<int64_t>(kCachedBytes / (block.depth * int64_t{sizeof(float)}), 1);
  for (int64_t row = part.row; row < part.end_row; row += fit) {
    const int64_t rows = std::min(fit, part.end_row - row);
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t column = panel * width;
      const Place place = PlaceOf(p, row, column);
      Kernels().float_products.multiply_panel(
          {.a = p.a + row * p.b.k + block.begin,
           .lda = p.b.k,
           .rows = rows,
           .panel = panels.data + (panel - first) * panels.next,
           .panel_row = panels.row,
           .depth = block.depth,
           .c = place.data,
           .ldc = place.ld,
           .columns = std::min(width, p.b.n - column),
           .accumulate = p.options.accumulate || block.begin > 0,
           .bias = last_block && p.options.bias != nullptr ? p.options.bias + column : nullptr,
           .relu = last_block && p.options.relu});
    }
  }
}

// Reads whole panels where they are stored, and packs the last one if it is not whole.
void MultiplyDirectly(const Product& p, const Block& block, const Part& part) {
  const int64_t width = Kernels().float_products.panel_columns;
  const int64_t whole = std::min(part.end_panel, p.b.n / width);
  MultiplyPanels(p, block, part, part.panel, whole,
                 {p.b.data + block.begin * p.b.n + part.panel * width, p.b.n, width});
  if (whole == part.end_panel) return;
  float* last = static_cast<float*>(
      Scratch(ScratchUse::kGemmB, width * block.depth * int64_t{sizeof(float)}));
  PackPanels(p.b, block, whole, part.end_panel, last);
  MultiplyPanels(p, block, part, whole, part.end_panel, {last, width, 0});
}

void MultiplyBlock(const Product& p, const Block& block, const Part& part) {
  const int64_t width = Kernels().float_products.panel_columns;
  if (p.packed != nullptr) {
    const float* panels =
        p.packed + width * (PanelsOf(p.b.n) * block.begin + part.panel * block.depth);
    return MultiplyPanels(p, block, part, part.panel, part.end_panel,
                          {panels, width, width * block.depth});
  }
  if (p.m <= kMaxDirectRows && !p.b.transposed) return MultiplyDirectly(p, block, part);
  const int64_t panel_bytes = width * block.depth * int64_t{sizeof(float)};
  const int64_t step = std::max<int64_t>(kPackedBlockBytes / panel_bytes, 1);
  float* panels = static_cast<float*>(Scratch(ScratchUse::kGemmB, step * panel_bytes));
  for (int64_t first = part.panel; first < part.end_panel; first += step) {
    const int64_t last = std::min(first + step, part.end_panel);
    PackPanels(p.b, block, first, last, panels);
    MultiplyPanels(p, block, part, first, last, {panels, width, width * block.depth});
  }
}

void MultiplyPart(const Product& p, const Part& part, const StopCheck& stop) {
  ForEachBlock(p.b.k, [&](const Block& block) {
    if (!stop.due()) MultiplyBlock(p, block, part);
  });
}

}  // namespace

bool IsWholePanels(int64_t columns) {
  return columns > 0 && columns % Kernels().float_products.panel_columns == 0;
}

bool PackingPays(int64_t m, const RightOperand& b) {
  const int64_t elements = b.n * b.k;
  const int64_t max_rows = elements <= kMaxElementsInCache ? kMaxRowsInCache : kMaxRows;
  return m >= kMinRows && m <= max_rows && b.n > 1 && elements >= kMinElements;
}

int64_t PackedSize(const RightOperand& b) {
  return PanelsOf(b.n) * Kernels().float_products.panel_columns * b.k;
}

void Pack(const RightOperand& b, float* packed) {
  const int64_t panels = PanelsOf(b.n), width = Kernels().float_products.panel_columns;
  ForEachBlock(b.k, [&](const Block& block) {
    const int64_t grain = kGrainMultiplications / (width * block.depth) + 1;
    ParallelFor(panels, grain, [&](int64_t begin, int64_t end) {
      PackPanels(b, block, begin, end,
                 packed + width * (panels * block.begin + begin * block.depth));
    });
  });
}

void PackedGemm(int64_t m, const float* a, const RightOperand& b, const float* packed, float* c,
                const PackedGemmOptions& options) {
  const Product p{m, a, b, packed, c, options};
  const int64_t panels = PanelsOf(b.n);
  const StopCheck stop;
  // Threads that share columns would pack them several times.
  if (panels >= 2 * IntraOpThreads() || packed == nullptr) {
    const int64_t work = m * b.k * Kernels().float_products.panel_columns;
    ParallelFor(panels, kGrainMultiplications / (work + 1) + 1, [&](int64_t begin, int64_t end) {
      MultiplyPart(p, {0, m, begin, end}, stop);
    });
    return;
  }
  ParallelFor(m, kGrainMultiplications / (b.k * b.n) + 1, [&](int64_t begin, int64_t end) {
    MultiplyPart(p, {begin, end, 0, panels}, stop);
  });
}

}  // namespace ramet::linalg
