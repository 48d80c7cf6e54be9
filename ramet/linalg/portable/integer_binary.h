#pragma once

#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/portable/integer.h"

namespace ramet::linalg::portable {

#define RAMET_OP(NAME, EXPR)   \
  struct NAME {                \
    template <class T>         \
    static auto Do(T a, T b) { \
      return EXPR;             \
    }                          \
  };
RAMET_OP(IntAdd, WrapAdd(a, b))
RAMET_OP(IntSub, WrapSub(a, b))
RAMET_OP(IntMul, WrapMul(a, b))
RAMET_OP(IntMaximum, a < b ? b : a)
RAMET_OP(IntMinimum, b < a ? b : a)
RAMET_OP(IntSquaredDifference, WrapMul(WrapSub(a, b), WrapSub(a, b)))
RAMET_OP(IntEqual, a == b)
RAMET_OP(IntNotEqual, a != b)
RAMET_OP(IntLess, a < b)
RAMET_OP(IntLessEqual, a <= b)
RAMET_OP(IntGreater, a > b)
RAMET_OP(IntGreaterEqual, a >= b)
RAMET_OP(IntAnd, static_cast<T>(a& b))
RAMET_OP(IntOr, static_cast<T>(a | b))
RAMET_OP(IntXor, static_cast<T>(a ^ b))
RAMET_OP(IntReluGrad, b > T(0) ? a : T(0))
RAMET_OP(IntRelu6Grad, b > T(0) && b < T(6) ? a : T(0))
#undef RAMET_OP

// Clamps a shift count to [0, bits - 1].
template <class T>
int ShiftCount(T count) {
  constexpr int kLast = 8 * sizeof(T) - 1;
  return count < T(0) ? 0 : count > T(kLast) ? kLast : static_cast<int>(count);
}
struct IntLeftShift {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) << ShiftCount(b));
  }
};
struct IntRightShift {
  template <class T>
  static T Do(T a, T b) {
    return static_cast<T>(a >> ShiftCount(b));
  }
};

// Reports whether b is -1 of a signed type, the only divisor besides 0 that can trap.
template <class T>
bool IsMinusOne(T b) {
  return std::is_signed_v<T> && b == static_cast<T>(-1);
}

struct IntDiv {
  template <class T>
  static bool Do(T a, T b, T* y) {
    *y = b == 0 ? T(0) : IsMinusOne(b) ? WrapNeg(a) : static_cast<T>(a / b);
    return b != 0;
  }
};
struct IntMod {
  template <class T>
  static bool Do(T a, T b, T* y) {
    *y = b == 0 || IsMinusOne(b) ? T(0) : static_cast<T>(a % b);
    return b != 0;
  }
};
struct IntFloorDiv {
  template <class T>
  static bool Do(T a, T b, T* y) {
    const bool ok = IntDiv::Do(a, b, y);
    if (ok && !IsMinusOne(b) && (a < T(0)) != (b < T(0)) && a % b != 0) --*y;
    return ok;
  }
};
struct IntFloorMod {
  template <class T>
  static bool Do(T a, T b, T* y) {
    const bool ok = IntMod::Do(a, b, y);
    if (*y != 0 && (*y < T(0)) != (b < T(0))) *y = WrapAdd(*y, b);
    return ok;
  }
};
// Divides int32 values in double, which is exact and which processors can vectorize.
struct Int32Quotient {
  int32_t quotient, rest;
  bool down;  // the floored quotient is one less

  Int32Quotient(int32_t a, int32_t b) {
    const bool usual = b != 0 && b != -1;
    const double ratio = static_cast<double>(a) / static_cast<double>(usual ? b : 1);
    quotient = b == 0 ? 0 : b == -1 ? WrapNeg(a) : static_cast<int32_t>(ratio);
    rest = b == 0 ? 0 : WrapSub(a, WrapMul(quotient, b));
    down = rest != 0 && (rest < 0) != (b < 0);
  }
};
struct Int32Div {
  static int32_t Do(int32_t a, int32_t b) { return Int32Quotient(a, b).quotient; }
};
struct Int32Mod {
  static int32_t Do(int32_t a, int32_t b) { return Int32Quotient(a, b).rest; }
};
struct Int32FloorDiv {
  static int32_t Do(int32_t a, int32_t b) {
    const Int32Quotient q(a, b);
    return WrapSub(q.quotient, static_cast<int32_t>(q.down));
  }
};
struct Int32FloorMod {
  static int32_t Do(int32_t a, int32_t b) {
    const Int32Quotient q(a, b);
    return WrapAdd(q.rest, q.down ? b : 0);
  }
};
template <class Op>
bool Int32Rows(const RowsArgs& args) {
  int zero = 0;
  for (int64_t r = 0; r < args.rows; ++r) {
    const int32_t* b = static_cast<const int32_t*>(args.b) + r * args.b_row;
    const int64_t n = args.b_scalar ? 1 : args.n;
    for (int64_t i = 0; i < n; ++i) zero |= b[i] == 0;
  }
  BinaryRows<Op, int32_t>(args);
  return zero == 0;
}

struct IntPow {
  template <class T>
  static bool Do(T base, T exponent, T* y) {
    if (exponent < T(0)) {
      *y = T(0);
      return false;
    }
    T result = 1;
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1) result = WrapMul(result, base);
      base = WrapMul(base, base);
    }
    *y = result;
    return true;
  }
};

// Adds the functions that depend on the signedness of T.
template <class T>
void AddSignedness(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(BinaryOp::kDiv, type, CheckedRows<IntDiv, T>);
  t.Set(BinaryOp::kFloorDiv, type, CheckedRows<IntFloorDiv, T>);
  t.Set(BinaryOp::kMod, type, CheckedRows<IntMod, T>);
  t.Set(BinaryOp::kFloorMod, type, CheckedRows<IntFloorMod, T>);
  t.Set(BinaryOp::kPow, type, CheckedRows<IntPow, T>);
  t.Set(BinaryOp::kMaximum, type, BinaryRows<IntMaximum, T>);
  t.Set(BinaryOp::kMinimum, type, BinaryRows<IntMinimum, T>);
  t.Set(BinaryOp::kLess, type, BinaryRows<IntLess, T, bool>);
  t.Set(BinaryOp::kLessEqual, type, BinaryRows<IntLessEqual, T, bool>);
  t.Set(BinaryOp::kGreater, type, BinaryRows<IntGreater, T, bool>);
  t.Set(BinaryOp::kGreaterEqual, type, BinaryRows<IntGreaterEqual, T, bool>);
  t.Set(BinaryOp::kLeftShift, type, BinaryRows<IntLeftShift, T>);
  t.Set(BinaryOp::kRightShift, type, BinaryRows<IntRightShift, T>);
  t.Set(BinaryOp::kReluGrad, type, BinaryRows<IntReluGrad, T>);
  t.Set(BinaryOp::kRelu6Grad, type, BinaryRows<IntRelu6Grad, T>);
}

}  // namespace ramet::linalg::portable
