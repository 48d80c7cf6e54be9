#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/portable/integer.h"

namespace ramet::linalg::portable {
namespace {

#define RAMET_OP(NAME, EXPR) \
  struct NAME {              \
    template <class T>       \
    static T Do(T x) {       \
      return EXPR;           \
    }                        \
  };
RAMET_OP(Neg, WrapNeg(x))
RAMET_OP(Abs, x < T(0) ? WrapNeg(x) : x)
RAMET_OP(Sign, static_cast<T>((x > T(0)) - (x < T(0))))
RAMET_OP(Square, WrapMul(x, x))
RAMET_OP(Same, x)
RAMET_OP(Invert, static_cast<T>(~x))
RAMET_OP(Relu, x < T(0) ? T(0) : x)
RAMET_OP(Relu6, x<T(0) ? T(0) : x> T(6) ? T(6) : x)
#undef RAMET_OP

struct LogicalNot {
  static uint8_t Do(uint8_t x) { return x ^ 1; }
};

template <class T>
bool Reciprocal(const void* xv, void* yv, int64_t n) {
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  bool ok = true;
  for (int64_t i = 0; i < n; ++i) {
    ok &= x[i] != 0;
    const bool unit = x[i] == T(1) || WrapNeg(x[i]) == T(1);
    y[i] = unit && (x[i] == T(1) || x[i] < T(0)) ? x[i] : T(0);
  }
  return ok;
}

template <class T>
void Add(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(UnaryOp::kNeg, type, UnaryLoop<Neg, T>);
  t.Set(UnaryOp::kAbs, type, UnaryLoop<Abs, T>);
  t.Set(UnaryOp::kSign, type, UnaryLoop<Sign, T>);
  t.Set(UnaryOp::kSquare, type, UnaryLoop<Square, T>);
  t.Set(UnaryOp::kReciprocal, type, Reciprocal<T>);
  t.Set(UnaryOp::kRound, type, UnaryLoop<Same, T>);
  t.Set(UnaryOp::kInvert, type, UnaryLoop<Invert, T>);
  t.Set(UnaryOp::kRelu, type, UnaryLoop<Relu, T>);
  t.Set(UnaryOp::kRelu6, type, UnaryLoop<Relu6, T>);
}

}  // namespace

void AddIntegerUnary(KernelTable& t) {
  Add<int8_t>(t);
  Add<int16_t>(t);
  Add<int32_t>(t);
  Add<int64_t>(t);
  Add<uint8_t>(t);
  Add<uint16_t>(t);
  Add<uint32_t>(t);
  Add<uint64_t>(t);
  t.Set(UnaryOp::kLogicalNot, Type::kBool, UnaryLoop<LogicalNot, uint8_t>);
}

}  // namespace ramet::linalg::portable
