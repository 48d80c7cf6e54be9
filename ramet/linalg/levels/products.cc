#include <Eigen/Core>

#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Uses kVectors vector accumulators: y[j..] = sum over i of x[i] * matrix[i, j..].
template <class T, int kVectors>
void ColumnStrip(const T* x, const T* matrix, int64_t k, int64_t ld, bool accumulate, T* y) {
  constexpr int kLanes = kVectorBytes / sizeof(T);
  Vector<T> acc[kVectors] = {};
  for (int64_t i = 0; i < k; ++i) {
    const T* row = matrix + i * ld;
    for (int v = 0; v < kVectors; ++v) acc[v] += x[i] * Load(row + v * kLanes);
  }
  for (int v = 0; v < kVectors; ++v) {
    if (accumulate) acc[v] += Load(y + v * kLanes);
    std::memcpy(y + v * kLanes, &acc[v], sizeof acc[v]);
  }
}

template <class T>
void ColumnTail(const T* x, const T* matrix, int64_t k, int64_t ld, int64_t n, bool accumulate,
                T* y) {
  constexpr int kLanes = kVectorBytes / sizeof(T);
  T acc[kLanes] = {};
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) acc[j] += x[i] * matrix[i * ld + j];
  }
  for (int64_t j = 0; j < n; ++j) y[j] = accumulate ? y[j] + acc[j] : acc[j];
}

template <class T>
void Gemv(const GemvArgs& args, int64_t begin, int64_t end) {
  constexpr int kLanes = kVectorBytes / sizeof(T);
  const T* x = static_cast<const T*>(args.x);
  const T* matrix = static_cast<const T*>(args.matrix);
  T* y = static_cast<T*>(args.y);
  int64_t j = begin;
  for (; j + 8 * kLanes <= end; j += 8 * kLanes) {
    ColumnStrip<T, 8>(x, matrix + j, args.k, args.ld, args.accumulate, y + j);
  }
  for (; j + kLanes <= end; j += kLanes) {
    ColumnStrip<T, 1>(x, matrix + j, args.k, args.ld, args.accumulate, y + j);
  }
  if (j < end) ColumnTail<T>(x, matrix + j, args.k, args.ld, end - j, args.accumulate, y + j);
}

template <class T>
T Dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kLanes = kVectorBytes / sizeof(T);
  Vector<T> acc[4] = {};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int v = 0; v < 4; ++v) acc[v] += Load(a + i + v * kLanes) * Load(b + i + v * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) acc[0] += Load(a + i) * Load(b + i);
  T sum = JoinLanes<Sum, T>((acc[0] + acc[1]) + (acc[2] + acc[3]));
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
void GemvTransposed(const GemvArgs& args, int64_t begin, int64_t end) {
  const T* x = static_cast<const T*>(args.x);
  const T* matrix = static_cast<const T*>(args.matrix);
  T* y = static_cast<T*>(args.y);
  for (int64_t j = begin; j < end; ++j) {
    const T dot = Dot(x, matrix + j * args.ld, args.k);
    y[j] = args.accumulate ? y[j] + dot : dot;
  }
}

template <class T>
void Product(const ProductArgs& args) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::OuterStride<>;
  using In = Eigen::Map<const Matrix, 0, Stride>;
  const auto in = [](const void* p, bool transpose, int64_t rows, int64_t columns, int64_t ld) {
    return In(static_cast<const T*>(p), transpose ? columns : rows, transpose ? rows : columns,
              Stride(ld));
  };
  const In a = in(args.a, args.transpose_a, args.m, args.k, args.lda);
  const In b = in(args.b, args.transpose_b, args.k, args.n, args.ldb);
  Eigen::Map<Matrix, 0, Stride> c(static_cast<T*>(args.c), args.m, args.n, Stride(args.ldc));
  if (!args.accumulate) c.setZero();
  if (args.transpose_a && args.transpose_b) {
    c.noalias() += a.transpose() * b.transpose();
  } else if (args.transpose_a) {
    c.noalias() += a.transpose() * b;
  } else if (args.transpose_b) {
    c.noalias() += a * b.transpose();
  } else {
    c.noalias() += a * b;
  }
}

template <class T>
void Add(KernelTable& t) {
  constexpr int type = static_cast<int>(TypeOf<T>);
  t.gemv[type] = Gemv<T>;
  t.gemv_transposed[type] = GemvTransposed<T>;
  t.product[type] = Product<T>;
}

}  // namespace

void AddProducts(KernelTable& t) {
  Add<float>(t);
  Add<double>(t);
}

}  // namespace ramet::linalg::RAMET_LEVEL
