#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

// c = a * b^T as dot products of the rows of a and b, which are contiguous in memory, so that
// nothing is packed. An element's value depends only on k.

namespace ramet::linalg::RAMET_LEVEL {
namespace {

constexpr int kLanes = kVectorBytes / sizeof(float);
// Chosen so that the sums of a tile fit in the registers.
constexpr int kTileColumns = kLanes > 8 ? 3 : 2;
constexpr int kTileRows = kLanes > 4 ? kLanes / 2 : 4;
// Bytes of rows of b that stay in the second-level cache for all rows of a.
constexpr int64_t kCachedBytes = 1 << 19;

using Floats = Vector<float>;

template <int... kIndex>
struct Lanes {};
template <int kCount, int... kIndex>
struct MakeLanes : MakeLanes<kCount - 1, kCount - 1, kIndex...> {};
template <int... kIndex>
struct MakeLanes<0, kIndex...> {
  using type = Lanes<kIndex...>;
};
using AllLanes = typename MakeLanes<kLanes>::type;

// Returns the lane of (a, b) that becomes lane i of a half sum. In each group of 2 * half lanes the
// first half comes from a, the second from b.
constexpr int HalfLane(int i, int half, bool upper) {
  const int at = i % (2 * half);
  const int base = i - at + (upper ? half : 0);
  return at < half ? base + at : kLanes + base + at - half;
}

template <int kHalf, int... kIndex>
[[gnu::always_inline]] inline Floats JoinHalvesOf(const Floats& a, const Floats& b,
                                                  Lanes<kIndex...>) {
  return __builtin_shufflevector(a, b, HalfLane(kIndex, kHalf, false)...) +
         __builtin_shufflevector(a, b, HalfLane(kIndex, kHalf, true)...);
}

// Lane i * kLanes / kCount of the result is the sum of the lanes of v[i].
template <int kCount, int kWidth = kLanes>
[[gnu::always_inline]] inline Floats SumsOf(Floats* v) {
  if constexpr (kWidth == 1) {
    return v[0];
  } else {
    constexpr int kHalf = kCount / 2;
    for (int i = 0; i < kHalf; ++i) {
      v[i] = JoinHalvesOf<kWidth / 2>(v[i], v[i + kHalf], AllLanes());
    }
    if constexpr (kHalf == 0) v[0] = JoinHalvesOf<kWidth / 2>(v[0], v[0], AllLanes());
    return SumsOf<(kHalf > 0 ? kHalf : 1), kWidth / 2>(v);
  }
}

// Masks the last elements of rows whose length is not a whole number of vectors.
class Rest {
 public:
  explicit Rest(int64_t k) : at_(k - kLanes) {
    for (int i = 0; i < kLanes; ++i) wanted_[i] = i >= kLanes - k % kLanes ? -1 : 0;
  }
  Floats Of(const float* row) const { return wanted_ ? Load(row + at_) : Floats{}; }

 private:
  int64_t at_;
  Vector<int32_t> wanted_;
};

// Holds kRows x kTileColumns sums.
template <int kRows>
struct Sums {
  Floats column[kTileColumns][kRows] = {};

  template <class Elements>
  [[gnu::always_inline]] void Add(const float* a, int64_t lda, const float* const* b,
                                  Elements&& elements) {
    Floats factor[kTileColumns];
    for (int j = 0; j < kTileColumns; ++j) factor[j] = elements(b[j]);
    for (int r = 0; r < kRows; ++r) {
      Floats row = elements(a + r * lda);
#if defined(__x86_64__)
      asm("" : "+v"(row));
#endif
      for (int j = 0; j < kTileColumns; ++j) column[j][r] += row * factor[j];
    }
  }
};

// Computes kRows rows of c starting at column 0, of which `columns` are stored.
template <int kRows>
void Tile(const ProductArgs& p, const float* a, const float* b, int64_t columns, float* c) {
  const float* rows[kTileColumns];
  for (int j = 0; j < kTileColumns; ++j) rows[j] = j < columns ? b + j * p.ldb : b;
  Sums<kRows> sums;
  int64_t i = 0;
  for (; i + kLanes <= p.k; i += kLanes) {
    sums.Add(
        a, p.lda,
        rows, [i](const float* row) __attribute__((always_inline)) { return Load(row + i); });
  }
  if (i < p.k) {
    const Rest rest(p.k);
    sums.Add(
        a, p.lda,
        rows, [&](const float* row) __attribute__((always_inline)) { return rest.Of(row); });
  }
  for (int j = 0; j < kTileColumns; ++j) {
    const Floats all = SumsOf<kRows>(sums.column[j]);
    if (j >= columns) continue;
    for (int r = 0; r < kRows; ++r) {
      float* to = c + r * p.ldc + j;
      const float sum = all[r * kLanes / kRows];
      *to = p.accumulate ? *to + sum : sum;
    }
  }
}

template <int kRows>
int64_t RowsOfTiles(const ProductArgs& p, int64_t row, int64_t begin, int64_t end) {
  const float* a = static_cast<const float*>(p.a);
  const float* b = static_cast<const float*>(p.b);
  float* c = static_cast<float*>(p.c);
  for (; row + kRows <= p.m; row += kRows) {
    for (int64_t j = begin; j < end; j += kTileColumns) {
      const int64_t columns = end - j < kTileColumns ? end - j : kTileColumns;
      Tile<kRows>(p, a + row * p.lda, b + j * p.ldb, columns, c + row * p.ldc + j);
    }
  }
  if constexpr (kRows > 1) {
    return RowsOfTiles<kRows / 2>(p, row, begin, end);
  } else {
    return row;
  }
}

void DotProducts(const ProductArgs& p) {
  const int64_t fit = kCachedBytes / (p.k * int64_t{sizeof(float)}) / kTileColumns * kTileColumns;
  const int64_t step = fit > kTileColumns ? fit : kTileColumns;
  for (int64_t begin = 0; begin < p.n; begin += step) {
    const int64_t end = begin + step < p.n ? begin + step : p.n;
    RowsOfTiles<kTileRows>(p, 0, begin, end);
  }
}

}  // namespace

void AddDotProducts(KernelTable& t) { t.float_products.dots = DotProducts; }

}  // namespace ramet::linalg::RAMET_LEVEL
