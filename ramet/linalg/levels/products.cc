#include <Eigen/Core>

#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// A matrix is read in strips of columns, kRowsAtOnce rows at a time, so that the processor reads
// whole pages in order. The sums of a strip stay in the first-level cache (ramet_linalg_bench
// gemm/row*).
constexpr int64_t kStripBytes = 8192;
constexpr int kRowsAtOnce = 8;

// Adds x[i] * matrix[i, j..] for i in [0, kRows) to the sums of the columns [0, columns), which are
// whole vectors.
template <class T, int kRows>
void AddRows(const T* x, const T* matrix, int64_t ld, int64_t columns, T* sums) {
  constexpr int kLanes = kVectorBytes / sizeof(T);
  T factors[kRows];
  std::memcpy(factors, x, sizeof factors);
  for (int64_t j = 0; j < columns; j += kLanes) {
    Vector<T> acc = Load(sums + j);
    for (int i = 0; i < kRows; ++i) acc += factors[i] * Load(matrix + i * ld + j);
    std::memcpy(sums + j, &acc, sizeof acc);
  }
}

// Computes y[j] = sum over i of x[i] * matrix[i, j] for the columns of one strip.
template <class T>
void Strip(const T* x, const T* matrix, int64_t k, int64_t ld, int64_t columns, bool accumulate,
           T* y) {
  T sums[kStripBytes / sizeof(T)];
  std::memset(sums, 0, static_cast<size_t>(columns) * sizeof(T));
  int64_t i = 0;
  for (; i + kRowsAtOnce <= k; i += kRowsAtOnce) {
    AddRows<T, kRowsAtOnce>(x + i, matrix + i * ld, ld, columns, sums);
  }
  for (; i < k; ++i) AddRows<T, 1>(x + i, matrix + i * ld, ld, columns, sums);
  for (int64_t j = 0; j < columns; ++j) y[j] = accumulate ? y[j] + sums[j] : sums[j];
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
  constexpr int64_t kStripColumns = kStripBytes / sizeof(T);
  const T* x = static_cast<const T*>(args.x);
  const T* matrix = static_cast<const T*>(args.matrix);
  T* y = static_cast<T*>(args.y);
  const int64_t whole = begin + (end - begin) / kLanes * kLanes;
  int64_t j = begin;
  for (int64_t columns; j < whole; j += columns) {
    columns = whole - j;
    if (columns > kStripColumns) columns = kStripColumns;
    Strip<T>(x, matrix + j, args.k, args.ld, columns, args.accumulate, y + j);
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
