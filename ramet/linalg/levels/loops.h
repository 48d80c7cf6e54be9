#pragma once

#include <cstdint>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/levels/level.h"

namespace ramet::linalg::RAMET_LEVEL {

// y[i] = Op(x[i]).
template <class Op, class T, class R = T>
bool UnaryLoop(const void* xv, void* yv, int64_t n) {
  const T* x = static_cast<const T*>(xv);
  R* y = static_cast<R*>(yv);
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] = Op::Do(x[i]);
  return true;
}

template <class Op, class T, class R>
void BinaryRow(const T* a, const T* b, R* y, const RowsArgs& args) {
  const int64_t n = args.n;
  if (args.a_scalar) {
    const T s = *a;
    RAMET_IVDEP
    for (int64_t i = 0; i < n; ++i) y[i] = Op::Do(s, b[i]);
  } else if (args.b_scalar) {
    const T s = *b;
    RAMET_IVDEP
    for (int64_t i = 0; i < n; ++i) y[i] = Op::Do(a[i], s);
  } else {
    RAMET_IVDEP
    for (int64_t i = 0; i < n; ++i) y[i] = Op::Do(a[i], b[i]);
  }
}

template <class Op, class T, class R = T>
bool BinaryRows(const RowsArgs& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    BinaryRow<Op>(static_cast<const T*>(args.a) + r * args.a_row,
                  static_cast<const T*>(args.b) + r * args.b_row,
                  static_cast<R*>(args.y) + r * args.n, args);
  }
  return true;
}

// BinaryRows for an Op that reports whether there is a value: bool Do(a, b, T* y).
template <class Op, class T>
bool CheckedRows(const RowsArgs& args) {
  bool ok = true;
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* a = static_cast<const T*>(args.a) + r * args.a_row;
    const T* b = static_cast<const T*>(args.b) + r * args.b_row;
    T* y = static_cast<T*>(args.y) + r * args.n;
    for (int64_t i = 0; i < args.n; ++i) {
      ok &= Op::Do(a[args.a_scalar ? 0 : i], b[args.b_scalar ? 0 : i], &y[i]);
    }
  }
  return ok;
}

}  // namespace ramet::linalg::RAMET_LEVEL
