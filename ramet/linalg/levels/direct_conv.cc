#include "ramet/linalg/levels/level.h"
#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

// Direct convolutions. A tile is a few pixels times one or two vectors of output channels, whose
// sums stay in registers. Each input element is multiplied by the vectors of the packed filter.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

using Floats = Vector<float>;
constexpr int kLanes = kVectorBytes / sizeof(float);
// With two vectors of channels, the sums, the filter and one input element fill the registers.
constexpr int kTilePixels = kVectorBytes == 64 ? 8 : 6;
// Lines of the filter that are fetched ahead, as filters often do not fit in the first-level cache.
constexpr int64_t kFetchAhead = 8;

template <int kValue>
struct Index {
  static constexpr int value = kValue;
};

// Calls fn(Index<i>) for i in [kBegin, kEnd), unrolled, so that arrays become registers.
template <int kBegin, int kEnd, class Fn>
[[gnu::always_inline]] inline void Unrolled(Fn&& fn) {
  if constexpr (kBegin < kEnd) {
    fn(Index<kBegin>());
    Unrolled<kBegin + 1, kEnd>(fn);
  }
}

// The places of the pixels of a tile.
struct TilePixels {
  const float* x[kTilePixels];
  int64_t y[kTilePixels];  // offsets
  int count = 0;
};

[[gnu::always_inline]] inline void StoreFloats(float* p, const Floats& v) {
  std::memcpy(p, &v, sizeof v);
}

// Returns the numbers of an epilogue for vector v, or `none`.
[[gnu::always_inline]] inline Floats NumbersOr(const float* p, int v, float none) {
  return p == nullptr ? Floats{} + none : Load(p + v * kLanes);
}

[[gnu::always_inline]] inline Floats ReluOf(Floats x) { return x <= 0 ? Floats{} : x; }

// Applies an epilogue to x, the channels [first, first + n) of a row, and writes y. The addend is
// at the same offset from the epilogue's as y from `rows`.
void StorePart(const ChannelEpilogue& e, int64_t first, int64_t n, const float* x, int64_t at,
               float* rows) {
  for (int64_t c = 0; c < n; ++c) {
    float sum = x[c];
    if (e.before != nullptr) sum += e.before[first + c];
    if (e.scale != nullptr) sum *= e.scale[first + c];
    if (e.after != nullptr) sum += e.after[first + c];
    if (e.addend != nullptr) sum += e.addend[at + c];
    rows[at + c] = e.relu && sum <= 0 ? 0 : sum;
  }
}

// The sums of a tile of kPixels pixels and kVectors vectors.
template <int kPixels, int kVectors>
struct Sums {
  Floats of[kPixels][kVectors];

  // Adds input element k of each pixel times the filter's vectors.
  [[gnu::always_inline]] void Add(const float* const* x, int64_t k, const float* filter) {
    constexpr int64_t kWidth = kVectors * kLanes;
    for (int64_t at = 0; at < kWidth; at += 16) {
      __builtin_prefetch(filter + kFetchAhead * kWidth + at);
    }
    Floats factors[kVectors];
    Unrolled<0, kVectors>([&](auto v) __attribute__((always_inline)) {
      factors[v.value] = Load(filter + v.value * kLanes);
    });
    Unrolled<0, kPixels>([&](auto p) __attribute__((always_inline)) {
      const float element = x[p.value][k];
      Unrolled<0, kVectors>([&](auto v) __attribute__((always_inline)) {
        of[p.value][v.value] += element * factors[v.value];
      });
    });
  }

  // Adds all taps.
  [[gnu::always_inline]] void AddAll(const DirectConvArea& a, const float* const* x) {
    constexpr int64_t kWidth = kVectors * kLanes;
    for (int64_t i = 0; i < a.taps[0]; ++i) {
      for (int64_t j = 0; j < a.taps[1]; ++j) {
        int64_t from = i * a.x_tap[0] + j * a.x_tap[1];
        const float* tap = a.filter + i * a.filter_tap[0] + j * a.filter_tap[1];
        for (int64_t l = a.taps[2]; l > 0; --l, from += a.x_tap[2], tap += a.filter_tap[2]) {
          const float* filter = tap;
          const int64_t end = from + a.run;
          for (int64_t k = from; k < end; ++k, filter += kWidth) Add(x, k, filter);
        }
      }
    }
  }

  [[gnu::always_inline]] void Store(const DirectConvArea& a, const TilePixels& tile) {
    const ChannelEpilogue& e = a.epilogue;
    if (a.channels < kVectors * kLanes) return StoreParts(a, tile);
    const bool plain = e.scale == nullptr && e.after == nullptr && e.addend == nullptr;
    if (plain && tile.count == kPixels) return StoreWhole(a, tile);
    Unrolled<0, kVectors>([&](auto v) __attribute__((always_inline)) {
      const Floats before = NumbersOr(e.before, v.value, 0.0f);
      const Floats scale = NumbersOr(e.scale, v.value, 1.0f);
      const Floats after = NumbersOr(e.after, v.value, 0.0f);
      Unrolled<0, kPixels>([&](auto p) __attribute__((always_inline)) {
        if (p.value >= tile.count) return;
        const int64_t at = tile.y[p.value] + v.value * kLanes;
        Floats y = of[p.value][v.value] + before;
        if (e.scale != nullptr || e.after != nullptr) y = y * scale + after;
        if (e.addend != nullptr) y += Load(e.addend + at);
        StoreFloats(a.y + at, e.relu ? ReluOf(y) : y);
      });
    });
  }

  // Stores a full tile with a bias and Relu, which short sums spend much of their time on.
  [[gnu::always_inline]] void StoreWhole(const DirectConvArea& a, const TilePixels& tile) {
    const Floats least = Floats{} + (a.epilogue.relu ? 0.0f : -__builtin_inff());
    Unrolled<0, kVectors>([&](auto v) __attribute__((always_inline)) {
      const Floats before = NumbersOr(a.epilogue.before, v.value, 0.0f);
      Unrolled<0, kPixels>([&](auto p) __attribute__((always_inline)) {
        const Floats y = of[p.value][v.value] + before;
        StoreFloats(a.y + tile.y[p.value] + v.value * kLanes, y <= least ? least : y);
      });
    });
  }

  [[gnu::always_inline]] void StoreParts(const DirectConvArea& a, const TilePixels& tile) {
    Unrolled<0, kPixels>([&](auto p) __attribute__((always_inline)) {
      if (p.value >= tile.count) return;
      float pixel[kVectors * kLanes];
      Unrolled<0, kVectors>([&](auto v) __attribute__((always_inline)) {
        StoreFloats(pixel + v.value * kLanes, of[p.value][v.value]);
      });
      StorePart(a.epilogue, 0, a.channels, pixel, tile.y[p.value], a.y);
    });
  }
};

template <int kPixels, int kVectors>
[[gnu::noinline]] void RunTile(const DirectConvArea& a, const TilePixels& tile) {
  const float* x[kPixels];
  Unrolled<0, kPixels>([&](auto p) __attribute__((always_inline)) {
    x[p.value] = tile.x[p.value];
    // The lines that will be written come from memory while the sums are computed.
    for (int64_t at = 0; at < kVectors * kLanes; at += 16) {
      __builtin_prefetch(a.y + tile.y[p.value] + at, 1);
    }
  });
  Sums<kPixels, kVectors> sums = {};
  sums.AddAll(a, x);
  sums.Store(a, tile);
}

// Runs a tile that is not full with as few pixels as needed. Missing ones repeat the last one.
template <int kVectors>
void RunPartialTile(const DirectConvArea& a, TilePixels& tile) {
  if (tile.count == 0) return;
  for (int p = tile.count; p < kTilePixels; ++p) {
    tile.x[p] = tile.x[tile.count - 1];
    tile.y[p] = tile.y[tile.count - 1];
  }
  if (tile.count == 1) return RunTile<1, kVectors>(a, tile);
  if (tile.count <= kTilePixels / 2) return RunTile<kTilePixels / 2, kVectors>(a, tile);
  RunTile<kTilePixels, kVectors>(a, tile);
}

template <int kVectors>
void RunArea(const DirectConvArea& a) {
  TilePixels tile;
  for (int64_t n = 0; n < a.pixels[0]; ++n) {
    for (int64_t i = 0; i < a.pixels[1]; ++i) {
      for (int64_t j = 0; j < a.pixels[2]; ++j) {
        const float* x = a.x + n * a.x_step[0] + i * a.x_step[1] + j * a.x_step[2];
        int64_t y = n * a.y_step[0] + i * a.y_step[1] + j * a.y_step[2];
        for (int64_t l = 0; l < a.pixels[3]; ++l, x += a.x_step[3], y += a.y_step[3]) {
          tile.x[tile.count] = x;
          tile.y[tile.count] = y;
          if (++tile.count < kTilePixels) continue;
          RunTile<kTilePixels, kVectors>(a, tile);
          tile.count = 0;
        }
      }
    }
  }
  RunPartialTile<kVectors>(a, tile);
}

// y = epilogue(y) for rows of n channels.
void ApplyToRows(const ChannelEpilogue& e, int64_t rows, int64_t n, float* y) {
  const int64_t whole = n / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = r * n;
    for (int64_t c = 0; c < whole; c += kLanes) {
      Floats v = Load(y + row + c);
      if (e.before != nullptr) v += Load(e.before + c);
      if (e.scale != nullptr) v *= Load(e.scale + c);
      if (e.after != nullptr) v += Load(e.after + c);
      if (e.addend != nullptr) v += Load(e.addend + row + c);
      StoreFloats(y + row + c, e.relu ? ReluOf(v) : v);
    }
    if (whole == n) continue;
    StorePart(e, whole, n - whole, y + row + whole, row + whole, y);
  }
}

void DirectConv(const DirectConvArea& area) {
  if (area.narrow) return RunArea<1>(area);
  RunArea<2>(area);
}

}  // namespace

void AddDirectConv(KernelTable& table) {
  table.conv.direct = &DirectConv;
  table.conv.lanes = kLanes;
  table.conv.epilogue = &ApplyToRows;
}

}  // namespace ramet::linalg::RAMET_LEVEL
