#include <algorithm>
#include <complex>

#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/portable/integer.h"

namespace ramet::linalg::portable {
namespace {

template <class T>
void MulAdd(T x, const T* row, int64_t n, T* y) {
  RAMET_IVDEP
  for (int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_integral_v<T>) {
      y[j] = WrapAdd(y[j], WrapMul(x, row[j]));
    } else {
      y[j] += x * row[j];
    }
  }
}

// y[0, n) += a[i, :] * b, for columns starting at j.
template <class T>
void ProductRow(const ProductArgs& args, int64_t i, int64_t j, int64_t n, T* y) {
  const T* a = static_cast<const T*>(args.a);
  const T* b = static_cast<const T*>(args.b);
  T gathered[256];
  for (int64_t p = 0; p < args.k; ++p) {
    const T x = args.transpose_a ? a[p * args.lda + i] : a[i * args.lda + p];
    const T* row = b + p * args.ldb + j;
    if (args.transpose_b) {
      for (int64_t q = 0; q < n; ++q) gathered[q] = b[(j + q) * args.ldb + p];
      row = gathered;
    }
    MulAdd(x, row, n, y);
  }
}

template <class T>
void SimpleProduct(const ProductArgs& args) {
  constexpr int64_t kTile = 256;
  for (int64_t i = 0; i < args.m; ++i) {
    T* c = static_cast<T*>(args.c) + i * args.ldc;
    for (int64_t j = 0; j < args.n; j += kTile) {
      const int64_t n = std::min(kTile, args.n - j);
      if (!args.accumulate) std::fill(c + j, c + j + n, T(0));
      ProductRow(args, i, j, n, c + j);
    }
  }
}

template <class T>
void Add(KernelTable& t, Type type) {
  t.product[static_cast<int>(type)] = SimpleProduct<T>;
}

}  // namespace

void AddIntegerProducts(KernelTable& t) {
  for (const Type type : {Type::kInt8, Type::kUint8}) Add<uint8_t>(t, type);
  for (const Type type : {Type::kInt16, Type::kUint16}) Add<uint16_t>(t, type);
  for (const Type type : {Type::kInt32, Type::kUint32}) Add<uint32_t>(t, type);
  for (const Type type : {Type::kInt64, Type::kUint64}) Add<uint64_t>(t, type);
  Add<std::complex<float>>(t, Type::kComplex64);
  Add<std::complex<double>>(t, Type::kComplex128);
}

}  // namespace ramet::linalg::portable
