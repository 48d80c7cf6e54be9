#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"

// Reductions with a fixed summation tree, which depends only on the number of elements.

namespace ramet::linalg::RAMET_LEVEL {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
Vector<T> Load(const T* p) {
  Vector<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// Integers of 16 bits are promoted to int, in which their product may overflow.
template <class V>
V Times(V a, V b) {
  if constexpr (std::is_same_v<V, uint16_t>) {
    return static_cast<uint16_t>(uint32_t{a} * b);
  } else {
    return a * b;
  }
}

// A reducer has Map, which transforms an element, Join of two partial results, and Identity<T>. V
// is an element or a vector of them.
struct Sum {
  template <class T>
  static T Identity() {
    return T(0);
  }
  template <class V>
  static V Map(V x) {
    return x;
  }
  template <class V>
  static V Join(V a, V b) {
    return a + b;
  }
};
struct SumSquares : Sum {
  template <class V>
  static V Map(V x) {
    return Times(x, x);
  }
};
struct Product : Sum {
  template <class T>
  static T Identity() {
    return T(1);
  }
  template <class V>
  static V Join(V a, V b) {
    return Times(a, b);
  }
};
struct Maximum : Sum {
  template <class T>
  static T Identity();
  template <class V>
  static V Join(V a, V b) {
    return ((a >= b) | (a != a)) ? a : b;
  }
};
struct Minimum : Sum {
  template <class T>
  static T Identity();
  template <class V>
  static V Join(V a, V b) {
    return ((a <= b) | (a != a)) ? a : b;
  }
};

template <class T>
constexpr T Lowest() {
  if constexpr (T(0.5) != T(0)) {
    return -static_cast<T>(__builtin_inf());
  } else if constexpr (T(-1) > T(0)) {
    return T(0);
  } else {
    return static_cast<T>(T(1) << (8 * sizeof(T) - 1));
  }
}
template <class T>
constexpr T Highest() {
  if constexpr (T(0.5) != T(0)) {
    return static_cast<T>(__builtin_inf());
  } else {
    return static_cast<T>(~Lowest<T>());
  }
}
template <class T>
T Maximum::Identity() {
  return Lowest<T>();
}
template <class T>
T Minimum::Identity() {
  return Highest<T>();
}

// Joins the two halves of `bytes` of lanes, then the halves of that, down to one lane.
template <class R, class T, int bytes>
T JoinHalves(const void* lanes) {
  if constexpr (bytes > 16) {
    typedef T Half __attribute__((vector_size(bytes / 2)));
    Half low, high;
    std::memcpy(&low, lanes, sizeof low);
    std::memcpy(&high, static_cast<const char*>(lanes) + sizeof low, sizeof high);
    const Half joined = R::Join(low, high);
    return JoinHalves<R, T, bytes / 2>(&joined);
  } else {
    T lane[bytes / sizeof(T)];
    std::memcpy(lane, lanes, sizeof lane);
    for (int width = bytes / sizeof(T) / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) lane[i] = R::Join(lane[i], lane[i + width]);
    }
    return lane[0];
  }
}

template <class R, class T>
T JoinLanes(Vector<T> v) {
  return JoinHalves<R, T, kVectorBytes>(&v);
}

// Reduces up to a few thousand elements in four accumulators.
template <class R, class T>
T ReduceBlock(const T* x, int64_t n) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  T result = R::template Identity<T>();
  int64_t i = 0;
  if (n >= kLanes) {
    const Vector<T> start = Vector<T>{} + R::template Identity<T>();
    Vector<T> acc[4] = {start, start, start, start};
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      for (int j = 0; j < 4; ++j) acc[j] = R::Join(acc[j], R::Map(Load(x + i + j * kLanes)));
    }
    for (; i + kLanes <= n; i += kLanes) acc[0] = R::Join(acc[0], R::Map(Load(x + i)));
    result = JoinLanes<R, T>(R::Join(R::Join(acc[0], acc[1]), R::Join(acc[2], acc[3])));
  }
  for (; i < n; ++i) result = R::Join(result, R::Map(x[i]));
  return result;
}

// Joins blocks of 2048 elements pairwise, so that the error of a sum grows with the logarithm of n.
template <class R, class T>
T ReduceRow(const T* x, int64_t n) {
  constexpr int64_t kBlock = 2048;
  if (n <= kBlock) return ReduceBlock<R>(x, n);
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  const int64_t half = (blocks / 2) * kBlock;
  const T left = ReduceRow<R>(x, half);
  return R::Join(left, ReduceRow<R>(x + half, n - half));
}

template <class R, class T>
void ReduceRows(const void* xv, int64_t rows, int64_t n, void* yv) {
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  for (int64_t r = 0; r < rows; ++r) y[r] = ReduceRow<R>(x + r * n, n);
}

// Tiles have at most kTile columns. Blocks of 64 rows are joined pairwise.
inline constexpr int64_t kTile = 256;

template <class R, class V, class Row>
V JoinRows(int64_t rows, const V& start, const Row& row) {
  V part[4] = {start, start, start, start};
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    for (int k = 0; k < 4; ++k) part[k] = R::Join(part[k], row(i + k));
  }
  for (; i < rows; ++i) part[0] = R::Join(part[0], row(i));
  return R::Join(R::Join(part[0], part[1]), R::Join(part[2], part[3]));
}

template <class R, class T>
void ReduceTile(const T* x, int64_t rows, int64_t n, int64_t ld, T* y) {
  constexpr int64_t kBlock = 64;
  if (rows > kBlock) {
    const int64_t blocks = (rows + kBlock - 1) / kBlock;
    const int64_t half = (blocks / 2) * kBlock;
    T other[kTile];
    ReduceTile<R>(x, half, n, ld, y);
    ReduceTile<R>(x + half * ld, rows - half, n, ld, other);
    for (int64_t j = 0; j < n; ++j) y[j] = R::Join(y[j], other[j]);
    return;
  }
  // Long rows are streamed through y. Short rows are joined in registers, four at a time.
  constexpr int64_t kShort = 64, kLanes = kVectorBytes / sizeof(T);
  if (ld <= kShort) {
    int64_t j = 0;
    const Vector<T> start = Vector<T>{} + R::template Identity<T>();
    for (; j + kLanes <= n; j += kLanes) {
      const auto row = [&](int64_t i) { return R::Map(Load(x + i * ld + j)); };
      const Vector<T> all = JoinRows<R>(rows, start, row);
      std::memcpy(y + j, &all, sizeof all);
    }
    for (; j < n; ++j) {
      y[j] = JoinRows<R>(rows, R::template Identity<T>(),
                         [&](int64_t i) { return R::Map(x[i * ld + j]); });
    }
    return;
  }
  for (int64_t j = 0; j < n; ++j) y[j] = R::template Identity<T>();
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = x + i * ld;
    RAMET_IVDEP
    for (int64_t j = 0; j < n; ++j) y[j] = R::Join(y[j], R::Map(row[j]));
  }
}

template <class R, class T>
void ReduceColumns(const void* xv, int64_t rows, int64_t n, int64_t ld, void* yv) {
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  for (int64_t j = 0; j < n; j += kTile) {
    ReduceTile<R>(x + j, rows, n - j < kTile ? n - j : kTile, ld, y + j);
  }
}

template <class T>
void AddReduction(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(ReduceOp::kSum, type, ReduceRows<Sum, T>, ReduceColumns<Sum, T>);
  t.Set(ReduceOp::kProd, type, ReduceRows<Product, T>, ReduceColumns<Product, T>);
  t.Set(ReduceOp::kMax, type, ReduceRows<Maximum, T>, ReduceColumns<Maximum, T>);
  t.Set(ReduceOp::kMin, type, ReduceRows<Minimum, T>, ReduceColumns<Minimum, T>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
