#include <Eigen/Core>
#include <cstring>

#include "ramet/linalg/levels/real_math.h"
#include "ramet/linalg/levels/reduce_loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

template <class T>
inline constexpr int kWidth = 64 / sizeof(T);
template <class T>
using Block = Eigen::Array<T, kWidth<T>, 1>;

template <class T>
Block<T> LoadPart(const T* x, int64_t count, T rest) {
  if (count >= kWidth<T>) return Eigen::Map<const Block<T>>(x);
  Block<T> block = Block<T>::Constant(rest);
  std::memcpy(block.data(), x, count * sizeof(T));
  return block;
}

template <class T>
void StorePart(const Block<T>& block, int64_t count, T* y) {
  if (count >= kWidth<T>) {
    Eigen::Map<Block<T>> whole(y);
    whole = block;
  } else {
    std::memcpy(y, block.data(), count * sizeof(T));
  }
}

// Returns exp of numbers from which their maximum has been subtracted.
template <class T>
Block<T> ExpOfBlock(const Block<T>& x) {
  Block<T> e;
  for (int i = 0; i < kWidth<T>; ++i) e(i) = ExpOfNegative(x(i));
  return e;
}

template <class T>
T SumOfBlock(const Block<T>& block) {
  constexpr int kVectors = 64 / kVectorBytes;
  Vector<T> part[kVectors];
  std::memcpy(part, block.data(), sizeof part);
  for (int width = kVectors / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) part[i] += part[i + width];
  }
  return JoinLanes<Sum, T>(part[0]);
}

// Computes y = exp(x - top) unless y is null. Returns the sum.
template <class T>
T ExpRow(const T* x, int64_t n, T top, T* y) {
  Block<T> sum = Block<T>::Zero();
  for (int64_t i = 0; i < n; i += kWidth<T>) {
    const Block<T> shifted = LoadPart(x + i, n - i, Lowest<T>()) - top;
    const Block<T> e = ExpOfBlock<T>(shifted);
    sum += e;
    if (y != nullptr) StorePart(e, n - i, y + i);
  }
  return SumOfBlock<T>(sum);
}

template <class T>
T LogOfSum(T x) {
  const Block<T> block = Block<T>::Constant(x);
  const Block<T> log = block.log();
  return log(0);
}

template <class T>
void SoftmaxRow(const T* x, int64_t n, T* y) {
  const T scale = T(1) / ExpRow(x, n, ReduceRow<Maximum>(x, n), y);
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] *= scale;
}

template <class T>
void SoftmaxRows(int64_t rows, int64_t n, const void* x, void* y) {
  for (int64_t r = 0; r < rows; ++r) {
    SoftmaxRow(static_cast<const T*>(x) + r * n, n, static_cast<T*>(y) + r * n);
  }
}

template <class T>
void LogSoftmaxRows(int64_t rows, int64_t n, const void* xv, void* yv) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* x = static_cast<const T*>(xv) + r * n;
    T* y = static_cast<T*>(yv) + r * n;
    const T top = ReduceRow<Maximum>(x, n);
    const T log_sum = LogOfSum(ExpRow<T>(x, n, top, nullptr));
    RAMET_IVDEP
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - top) - log_sum;
  }
}

template <class T>
void SoftmaxGradRows(int64_t rows, int64_t n, const void* yv, const void* dyv, void* dxv) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* y = static_cast<const T*>(yv) + r * n;
    const T* dy = static_cast<const T*>(dyv) + r * n;
    T* dx = static_cast<T*>(dxv) + r * n;
    Block<T> products = Block<T>::Zero();
    for (int64_t i = 0; i < n; i += kWidth<T>) {
      products += LoadPart(y + i, n - i, T(0)) * LoadPart(dy + i, n - i, T(0));
    }
    const T sum = SumOfBlock<T>(products);
    RAMET_IVDEP
    for (int64_t i = 0; i < n; ++i) dx[i] = (dy[i] - sum) * y[i];
  }
}

// loss = sum(labels * (log(sum(exp(logits - top))) - (logits - top))).
template <class T>
void XentRow(const T* logits, const T* labels, int64_t n, T* loss, T* backprop) {
  const T top = ReduceRow<Maximum>(logits, n);
  const T sum = ExpRow<T>(logits, n, top, nullptr);
  const T log_sum = LogOfSum(sum);
  Block<T> total = Block<T>::Zero();
  for (int64_t i = 0; i < n; i += kWidth<T>) {
    const Block<T> x = LoadPart(logits + i, n - i, T(0)) - top;
    const Block<T> y = LoadPart(labels + i, n - i, T(0));
    total += y * (log_sum - x);
    const Block<T> gradient = ExpOfBlock<T>(x) / sum - y;
    StorePart(gradient, n - i, backprop + i);
  }
  *loss = SumOfBlock<T>(total);
}

template <class T>
void XentRows(int64_t rows, int64_t n, const void* logits, const void* labels, void* loss,
              void* backprop) {
  for (int64_t r = 0; r < rows; ++r) {
    XentRow(static_cast<const T*>(logits) + r * n, static_cast<const T*>(labels) + r * n, n,
            static_cast<T*>(loss) + r, static_cast<T*>(backprop) + r * n);
  }
}

template <class T>
void SparseXentRow(const T* x, int64_t label, int64_t n, T* loss, T* backprop) {
  if (label < 0 || label >= n) {
    *loss = static_cast<T>(__builtin_nan(""));
    for (int64_t i = 0; i < n; ++i) backprop[i] = *loss;
    return;
  }
  const T top = ReduceRow<Maximum>(x, n);
  const T shifted = x[label] - top;
  const T sum = ExpRow(x, n, top, backprop);
  *loss = LogOfSum(sum) - shifted;
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) backprop[i] /= sum;
  backprop[label] -= 1;
}

template <class T>
void SparseXentRows(int64_t rows, int64_t n, const void* logits, const int64_t* labels, void* loss,
                    void* backprop) {
  for (int64_t r = 0; r < rows; ++r) {
    SparseXentRow(static_cast<const T*>(logits) + r * n, labels[r], n, static_cast<T*>(loss) + r,
                  static_cast<T*>(backprop) + r * n);
  }
}

template <class T>
void Add(KernelTable& t) {
  constexpr int type = static_cast<int>(TypeOf<T>);
  t.softmax[type] = SoftmaxRows<T>;
  t.log_softmax[type] = LogSoftmaxRows<T>;
  t.softmax_grad[type] = SoftmaxGradRows<T>;
  t.softmax_xent[type] = XentRows<T>;
  t.sparse_softmax_xent[type] = SparseXentRows<T>;
}

}  // namespace

void AddSoftmax(KernelTable& t) {
  Add<float>(t);
  Add<double>(t);
}

}  // namespace ramet::linalg::RAMET_LEVEL
