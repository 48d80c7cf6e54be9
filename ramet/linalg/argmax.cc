#include "ramet/linalg/argmax.h"

#include <algorithm>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread, as in reduce.cc.
constexpr int64_t kGrainElements = 16384;

template <class T, bool kMax>
bool Better(T x, T best) {
  return kMax ? x > best : x < best;
}

template <class T, bool kMax>
T Worst() {
  return kMax ? portable::Lowest<T>() : portable::Highest<T>();
}

// Processes columns [begin, end) of one [n, inner] matrix; at most kTileColumns.
constexpr int64_t kTileColumns = 256;

template <class T, bool kMax>
void ArgTile(const T* x, int64_t n, int64_t inner, int64_t count, int64_t* index) {
  T best[kTileColumns];
  for (int64_t i = 0; i < count; ++i) {
    best[i] = Worst<T, kMax>();
    index[i] = 0;
  }
  for (int64_t j = 0; j < n; ++j) {
    const T* row = x + j * inner;
    for (int64_t i = 0; i < count; ++i) {
      const bool better = Better<T, kMax>(row[i], best[i]);
      best[i] = better ? row[i] : best[i];
      index[i] = better ? j : index[i];
    }
  }
}

// Returns the first of the best elements of a row. Finds the best value in vectors, then its index.
template <class T, bool kMax>
int64_t ArgRow(const T* x, int64_t n) {
  constexpr int64_t kLanes = 16;
  T best[kLanes];
  std::fill_n(best, kLanes, Worst<T, kMax>());
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l)
      best[l] = Better<T, kMax>(x[i + l], best[l]) ? x[i + l] : best[l];
  }
  for (; i < n; ++i) best[0] = Better<T, kMax>(x[i], best[0]) ? x[i] : best[0];
  T top = best[0];
  for (const T b : best) top = Better<T, kMax>(b, top) ? b : top;
  if (top == Worst<T, kMax>()) return 0;
  return std::find(x, x + n, top) - x;
}

template <class T, bool kMax>
void ArgRows(Type index_type, int64_t rows, int64_t n, const T* x, void* y) {
  ParallelFor(rows, kGrainElements / n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t index = ArgRow<T, kMax>(x + r * n, n);
      Cast(Type::kInt64, &index, index_type, Advance(index_type, y, r), 1);
    }
  });
}

template <class T, bool kMax>
void ArgReduce(Type index_type, int64_t outer, int64_t n, int64_t inner, const void* xv, void* y) {
  const T* x = static_cast<const T*>(xv);
  if (inner == 1) return ArgRows<T, kMax>(index_type, outer, n, x, y);
  const int64_t tiles = (inner + kTileColumns - 1) / kTileColumns;
  ParallelFor(outer * tiles, kGrainElements / (n * std::min(inner, kTileColumns)) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  const int64_t o = t / tiles;
                  const int64_t first = t % tiles * kTileColumns;
                  const int64_t count = std::min(kTileColumns, inner - first);
                  int64_t index[kTileColumns];
                  ArgTile<T, kMax>(x + o * n * inner + first, n, inner, count, index);
                  Cast(Type::kInt64, index, index_type, Advance(index_type, y, o * inner + first),
                       count);
                }
              });
}

template <bool kMax>
void ArgOf(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
           void* y) {
  if (outer * inner == 0) return;
  if (IsHalf(type)) {
    float* widened = static_cast<float*>(Scratch(ScratchUse::kWidened, outer * n * inner * 4));
    Cast(type, x, Type::kFloat, widened, outer * n * inner);
    return ArgReduce<float, kMax>(index_type, outer, n, inner, widened, y);
  }
  switch (type) {
    case Type::kFloat: return ArgReduce<float, kMax>(index_type, outer, n, inner, x, y);
    case Type::kDouble: return ArgReduce<double, kMax>(index_type, outer, n, inner, x, y);
    case Type::kInt8: return ArgReduce<int8_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kInt16: return ArgReduce<int16_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kInt32: return ArgReduce<int32_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kInt64: return ArgReduce<int64_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kUint16: return ArgReduce<uint16_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kUint32: return ArgReduce<uint32_t, kMax>(index_type, outer, n, inner, x, y);
    case Type::kUint64: return ArgReduce<uint64_t, kMax>(index_type, outer, n, inner, x, y);
    default: return ArgReduce<uint8_t, kMax>(index_type, outer, n, inner, x, y);
  }
}

}  // namespace

void ArgMax(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y) {
  ArgOf<true>(type, index_type, outer, n, inner, x, y);
}

void ArgMin(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y) {
  ArgOf<false>(type, index_type, outer, n, inner, x, y);
}

}  // namespace ramet::linalg
