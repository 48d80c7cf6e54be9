#include <cmath>

#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"

// Functions of float and double that call libm.

namespace ramet::linalg::portable {
namespace {

#define RAMET_OP(NAME, EXPR) \
  struct NAME {              \
    template <class T>       \
    static T Do(T x) {       \
      return EXPR;           \
    }                        \
  };
RAMET_OP(Tan, std::tan(x))
RAMET_OP(Asin, std::asin(x))
RAMET_OP(Acos, std::acos(x))
RAMET_OP(Atan, std::atan(x))
RAMET_OP(Sinh, std::sinh(x))
RAMET_OP(Cosh, std::cosh(x))
RAMET_OP(Asinh, std::asinh(x))
RAMET_OP(Acosh, std::acosh(x))
RAMET_OP(Atanh, std::atanh(x))
RAMET_OP(Erf, std::erf(x))
RAMET_OP(Erfc, std::erfc(x))
#undef RAMET_OP

// std::lgamma writes a global.
struct Lgamma {
  static float Do(float x) {
    int sign;
    return ::lgammaf_r(x, &sign);
  }
  static double Do(double x) {
    int sign;
    return ::lgamma_r(x, &sign);
  }
};

#define RAMET_OP(NAME, EXPR) \
  struct NAME {              \
    template <class T>       \
    static T Do(T a, T b) {  \
      return EXPR;           \
    }                        \
  };
RAMET_OP(Mod, std::fmod(a, b))
RAMET_OP(Pow, std::pow(a, b))
RAMET_OP(Atan2, std::atan2(a, b))
RAMET_OP(Xlogy, a == 0 ? T(0) : a * std::log(b))
RAMET_OP(Xlog1py, a == 0 ? T(0) : a * std::log1p(b))
RAMET_OP(SoftplusGrad, a / (std::exp(-b) + 1))
#undef RAMET_OP

struct FloorMod {
  template <class T>
  static T Do(T a, T b) {
    const T m = std::fmod(a, b);
    return m != 0 && (b < 0) != (m < 0) ? m + b : m;
  }
};

template <class T>
void Add(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(UnaryOp::kTan, type, UnaryLoop<Tan, T>);
  t.Set(UnaryOp::kAsin, type, UnaryLoop<Asin, T>);
  t.Set(UnaryOp::kAcos, type, UnaryLoop<Acos, T>);
  t.Set(UnaryOp::kAtan, type, UnaryLoop<Atan, T>);
  t.Set(UnaryOp::kSinh, type, UnaryLoop<Sinh, T>);
  t.Set(UnaryOp::kCosh, type, UnaryLoop<Cosh, T>);
  t.Set(UnaryOp::kAsinh, type, UnaryLoop<Asinh, T>);
  t.Set(UnaryOp::kAcosh, type, UnaryLoop<Acosh, T>);
  t.Set(UnaryOp::kAtanh, type, UnaryLoop<Atanh, T>);
  t.Set(UnaryOp::kErf, type, UnaryLoop<Erf, T>);
  t.Set(UnaryOp::kErfc, type, UnaryLoop<Erfc, T>);
  t.Set(UnaryOp::kLgamma, type, UnaryLoop<Lgamma, T>);
  t.Set(BinaryOp::kMod, type, BinaryRows<Mod, T>);
  t.Set(BinaryOp::kFloorMod, type, BinaryRows<FloorMod, T>);
  t.Set(BinaryOp::kPow, type, BinaryRows<Pow, T>);
  t.Set(BinaryOp::kAtan2, type, BinaryRows<Atan2, T>);
  t.Set(BinaryOp::kXlogy, type, BinaryRows<Xlogy, T>);
  t.Set(BinaryOp::kXlog1py, type, BinaryRows<Xlog1py, T>);
  t.Set(BinaryOp::kSoftplusGrad, type, BinaryRows<SoftplusGrad, T>);
}

}  // namespace

void AddRealFunctions(KernelTable& t) {
  Add<float>(t);
  Add<double>(t);
}

}  // namespace ramet::linalg::portable
