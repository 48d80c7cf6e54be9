#include "ramet/linalg/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "ramet/base/prefetch.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/width.h"

namespace ramet::linalg {
namespace {

// Elements that justify a thread (ramet_linalg_bench transpose/*).
constexpr int64_t kGrainElements = 16384;
constexpr int kMaxDims = 64;
// Tables from this size on do not stay in a core's own cache (ramet_linalg_bench gather/*).
constexpr int64_t kFarBytes = int64_t{2} << 20;

// Dimensions without those of one element; adjacent ones with matching strides are merged.
struct Collapsed {
  int ndims = 0;
  int64_t dims[kMaxDims] = {};
  int64_t xs[kMaxDims] = {};
  int64_t ys[kMaxDims] = {};
  int64_t size = 1;

  Collapsed(std::span<const int64_t> d, std::span<const int64_t> x, std::span<const int64_t> y) {
    for (const int64_t dim : d) size *= dim;
    if (size == 0) return;
    for (size_t i = 0; i < d.size(); ++i) {
      if (d[i] == 1) continue;
      const int last = ndims - 1;
      if (ndims > 0 && xs[last] == x[i] * d[i] && ys[last] == y[i] * d[i]) {
        dims[last] *= d[i];
        xs[last] = x[i];
        ys[last] = y[i];
        continue;
      }
      dims[ndims] = d[i];
      xs[ndims] = x[i];
      ys[ndims++] = y[i];
    }
    if (ndims == 0) {
      dims[0] = xs[0] = ys[0] = 1;
      ndims = 1;
    }
  }
};

template <class T>
void CopyLine(const T* x, int64_t xs, T* y, int64_t ys, int64_t n) {
  if (xs == 1 && ys == 1) {
    std::memcpy(y, x, n * sizeof(T));
  } else if (xs == 0 && ys == 1) {
    std::fill(y, y + n, *x);
  } else if (xs == -1 && ys == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[-i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * ys] = x[i * xs];
  }
}

// Transposes 4 by 4 elements of 4 bytes in vectors.
void TransposeFour(const uint32_t* x, int64_t xs, uint32_t* y, int64_t ys) {
  typedef uint32_t Four __attribute__((vector_size(16)));
  Four r[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], x + i * xs, sizeof r[i]);
  const Four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  const Four out[4] = {
      __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
      __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(y + i * ys, &out[i], sizeof out[i]);
}

// Transposes one block of a plane: rows [0, rows) and columns [0, columns).
template <class T>
void TransposeBlock(const T* x, int64_t xs, T* y, int64_t ys, int64_t rows, int64_t columns) {
  if constexpr (sizeof(T) == 4) {
    if (rows % 4 == 0 && columns % 4 == 0) {
      for (int64_t p = 0; p < rows; p += 4) {
        for (int64_t q = 0; q < columns; q += 4) {
          TransposeFour(x + p + q * xs, xs, y + p * ys + q, ys);
        }
      }
      return;
    }
  }
  for (int64_t p = 0; p < rows; ++p) {
    for (int64_t q = 0; q < columns; ++q) y[p * ys + q] = x[p + q * xs];
  }
}

// Transposes a plane in which x is dense along rows and y along columns, in blocks that stay in
// cache.
template <class T>
void TransposePlane(const T* x, int64_t xs, T* y, int64_t ys, int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 16;
  for (int64_t i = 0; i < rows; i += kBlock) {
    for (int64_t j = 0; j < columns; j += kBlock) {
      const int64_t ie = std::min(i + kBlock, rows);
      const int64_t je = std::min(j + kBlock, columns);
      TransposeBlock(x + i + j * xs, xs, y + i * ys + j, ys, ie - i, je - j);
    }
  }
}

// Copies lines [begin, end) of all lines along the last dimension.
template <class T>
void CopyLines(const Collapsed& c, const T* x, T* y, int64_t begin, int64_t end) {
  const int last = c.ndims - 1;
  for (int64_t line = begin; line < end; ++line) {
    int64_t rest = line, x_at = 0, y_at = 0;
    for (int i = last - 1; i >= 0; --i) {
      const int64_t index = rest % c.dims[i];
      rest /= c.dims[i];
      x_at += index * c.xs[i];
      y_at += index * c.ys[i];
    }
    CopyLine(x + x_at, c.xs[last], y + y_at, c.ys[last], c.dims[last]);
  }
}

// Returns the dimension along which x is dense while y is dense along the last, or -1.
int TransposedDim(const Collapsed& c) {
  const int last = c.ndims - 1;
  if (c.ys[last] != 1 || c.xs[last] == 1 || c.xs[last] == 0) return -1;
  for (int i = last - 1; i >= 0; --i) {
    if (c.xs[i] == 1) return i;
  }
  return -1;
}

// Copies planes of dimensions `dim` and last, in bands of the former.
template <class T>
void CopyPlanes(const Collapsed& c, int dim, const T* x, T* y) {
  constexpr int64_t kBand = 64;
  const int last = c.ndims - 1;
  const int64_t bands = (c.dims[dim] + kBand - 1) / kBand;
  const int64_t planes = c.size / (c.dims[dim] * c.dims[last]);
  ParallelFor(planes * bands, kGrainElements / (kBand * c.dims[last]) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  const int64_t first = t % bands * kBand;
                  int64_t rest = t / bands, x_at = first, y_at = first * c.ys[dim];
                  for (int i = last - 1; i >= 0; --i) {
                    if (i == dim) continue;
                    const int64_t index = rest % c.dims[i];
                    rest /= c.dims[i];
                    x_at += index * c.xs[i];
                    y_at += index * c.ys[i];
                  }
                  TransposePlane(x + x_at, c.xs[last], y + y_at, c.ys[dim],
                                 std::min(kBand, c.dims[dim] - first), c.dims[last]);
                }
              });
}

template <class T>
void Copy(const Collapsed& c, const T* x, T* y) {
  const int last = c.ndims - 1;
  if (const int dim = TransposedDim(c); dim >= 0) return CopyPlanes(c, dim, x, y);
  if (last == 0) {
    ParallelFor(c.size, kGrainElements, [&](int64_t begin, int64_t end) {
      CopyLine(x + begin * c.xs[0], c.xs[0], y + begin * c.ys[0], c.ys[0], end - begin);
    });
    return;
  }
  ParallelFor(c.size / c.dims[last], kGrainElements / c.dims[last] + 1,
              [&](int64_t begin, int64_t end) { CopyLines(c, x, y, begin, end); });
}

// At most kMaxDims dimensions, not counting those of one element.
struct Dims {
  int64_t dims[2 * kMaxDims];
  int64_t xs[2 * kMaxDims];
  int64_t ys[2 * kMaxDims];
  size_t n = 0;

  void Add(int64_t dim, int64_t x, int64_t y) {
    if (dim == 1) return;
    dims[n] = dim;
    xs[n] = x;
    ys[n++] = y;
  }
  std::span<const int64_t> Of(const int64_t* values) const { return {values, n}; }
};

bool IsEmpty(std::span<const int64_t> dims) {
  return std::find(dims.begin(), dims.end(), 0) != dims.end();
}

}  // namespace

void StridedCopy(int64_t width, std::span<const int64_t> dims, const void* x,
                 std::span<const int64_t> x_strides, void* y, std::span<const int64_t> y_strides) {
  if (IsEmpty(dims)) return;
  const Collapsed collapsed(dims, x_strides, y_strides);
  WithWidth(width, [&](auto tag) {
    using T = decltype(tag);
    Copy(collapsed, static_cast<const T*>(x), static_cast<T*>(y));
  });
}

void Transpose(int64_t width, std::span<const int64_t> dims, std::span<const int> perm,
               const void* x, void* y) {
  if (IsEmpty(dims)) return;
  Dims walk;
  int64_t stride = 1;
  for (size_t i = perm.size(); i-- > 0;) {
    int64_t x_stride = 1;
    for (size_t j = perm[i] + 1; j < dims.size(); ++j) x_stride *= dims[j];
    walk.Add(dims[perm[i]], x_stride, stride);
    stride *= dims[perm[i]];
  }
  std::reverse(walk.dims, walk.dims + walk.n);
  std::reverse(walk.xs, walk.xs + walk.n);
  std::reverse(walk.ys, walk.ys + walk.n);
  StridedCopy(width, walk.Of(walk.dims), x, walk.Of(walk.xs), y, walk.Of(walk.ys));
}

void Tile(int64_t width, std::span<const int64_t> dims, std::span<const int64_t> multiples,
          const void* x, void* y) {
  if (IsEmpty(dims) || IsEmpty(multiples)) return;
  Dims walk;
  int64_t x_stride = 1;
  int64_t y_stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    walk.Add(dims[i], x_stride, y_stride);
    x_stride *= dims[i];
    y_stride *= dims[i];
    walk.Add(multiples[i], 0, y_stride);
    y_stride *= multiples[i];
  }
  std::reverse(walk.dims, walk.dims + walk.n);
  std::reverse(walk.xs, walk.xs + walk.n);
  std::reverse(walk.ys, walk.ys + walk.n);
  StridedCopy(width, walk.Of(walk.dims), x, walk.Of(walk.xs), y, walk.Of(walk.ys));
}

int64_t GatherRows(Type index_type, int64_t outer, int64_t rows, int64_t row_bytes, const void* x,
                   int64_t n, const void* indices, void* y) {
  const auto index = [&](int64_t j) {
    return index_type == Type::kInt32 ? int64_t{static_cast<const int32_t*>(indices)[j]}
                                      : static_cast<const int64_t*>(indices)[j];
  };
  for (int64_t j = 0; j < n; ++j) {
    if (index(j) < 0 || index(j) >= rows) return j;
  }
  const auto row = [&](int64_t i) {
    return static_cast<const char*>(x) + (i / n * rows + index(i % n)) * row_bytes;
  };
  char* to = static_cast<char*>(y);
  const bool far = rows * row_bytes >= kFarBytes;
  ParallelFor(outer * n, 4 * kGrainElements / (row_bytes + 16) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  if (far && i + kRowsAhead < end) PrefetchToRead(row(i + kRowsAhead), row_bytes);
                  std::memcpy(to + i * row_bytes, row(i), row_bytes);
                }
              });
  return -1;
}

void Fill(int64_t width, const void* value, void* y, int64_t n) {
  WithWidth(width, [&](auto tag) {
    using T = decltype(tag);
    T v;
    std::memcpy(&v, value, sizeof v);
    ParallelFor(n, kGrainElements, [&](int64_t begin, int64_t end) {
      std::fill(static_cast<T*>(y) + begin, static_cast<T*>(y) + end, v);
    });
  });
}

}  // namespace ramet::linalg
