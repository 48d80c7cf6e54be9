#pragma once

#include "ramet/linalg/levels/real_math.h"

// Unary operations of one element, Op::Do(x), for loops over spans and for strips.

namespace ramet::linalg::RAMET_LEVEL {

#define RAMET_SCALAR_OP(NAME, EXPR) \
  struct NAME {                     \
    template <class T>              \
    static auto Do(T x) {           \
      return EXPR;                  \
    }                               \
  };
RAMET_SCALAR_OP(Neg, -x)
RAMET_SCALAR_OP(Sign, x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x)
RAMET_SCALAR_OP(Square, x* x)
RAMET_SCALAR_OP(Reciprocal, T(1) / x)
RAMET_SCALAR_OP(IsNan, x != x)
RAMET_SCALAR_OP(IsInf, x - x != x - x && x == x)
RAMET_SCALAR_OP(IsFinite, x - x == 0)
RAMET_SCALAR_OP(Relu, x <= 0 ? T(0) : x)
RAMET_SCALAR_OP(Relu6, x <= 0 ? T(0) : x >= 6 ? T(6) : x)
RAMET_SCALAR_OP(Exp, ExpOf(x))
RAMET_SCALAR_OP(Expm1, Expm1Of(x))
RAMET_SCALAR_OP(Sigmoid, T(1) / (ExpOf(-x) + T(1)))
RAMET_SCALAR_OP(Elu, x < 0 ? Expm1Of(x) : x)
RAMET_SCALAR_OP(Atan, AtanOf(x))
RAMET_SCALAR_OP(Asin, AsinOf(x))
RAMET_SCALAR_OP(Acos, AcosOf(x))
RAMET_SCALAR_OP(Atanh, AtanhOf(x))
RAMET_SCALAR_OP(Erf, ErfOf(x))
RAMET_SCALAR_OP(Erfc, ErfcOf(x))
RAMET_SCALAR_OP(FloatLog1p, Log1pOf(x))
RAMET_SCALAR_OP(DoubleTanh, TanhOf(x))
#undef RAMET_SCALAR_OP

#define RAMET_BUILTIN_OP(NAME, F, D, EXPR)                    \
  struct NAME {                                               \
    static float Do(float x) { return EXPR(float, F(x)); }    \
    static double Do(double x) { return EXPR(double, D(x)); } \
  };
#define RAMET_PLAIN(T, e) (e)
#define RAMET_INVERSE(T, e) (T(1) / (e))
RAMET_BUILTIN_OP(Sqrt, __builtin_sqrtf, __builtin_sqrt, RAMET_PLAIN)
RAMET_BUILTIN_OP(Rsqrt, __builtin_sqrtf, __builtin_sqrt, RAMET_INVERSE)
RAMET_BUILTIN_OP(Floor, __builtin_floorf, __builtin_floor, RAMET_PLAIN)
RAMET_BUILTIN_OP(Ceil, __builtin_ceilf, __builtin_ceil, RAMET_PLAIN)
RAMET_BUILTIN_OP(Rint, __builtin_rintf, __builtin_rint, RAMET_PLAIN)
#undef RAMET_BUILTIN_OP

struct Abs {
  static float Do(float x) { return __builtin_fabsf(x); }
  static double Do(double x) { return __builtin_fabs(x); }
};
struct Softsign {
  static float Do(float x) { return x / (__builtin_fabsf(x) + 1); }
  static double Do(double x) { return x / (__builtin_fabs(x) + 1); }
};

// The constants of Klambauer et al., "Self-normalizing neural networks".
struct Selu {
  template <class T>
  static T Do(T x) {
    constexpr T kScale = static_cast<T>(1.0507009873554804934193349852946);
    constexpr T kScaleAlpha = static_cast<T>(1.7580993408473768599402175208123);
    return x < 0 ? Expm1Of(x) * kScaleAlpha : x * kScale;
  }
};

struct Softplus {
  static float Do(float x) { return SoftplusOf(x); }
  template <class A>
  static A Do(const A& x) {
    constexpr double kLimit = 34.04365338911715;
    A exp;
    for (int i = 0; i < A::SizeAtCompileTime; ++i) exp(i) = ExpOf(x(i));
    A y = exp.log1p();
    for (int i = 0; i < A::SizeAtCompileTime; ++i) {
      const double low = x(i) < -kLimit ? exp(i) : y(i);
      y(i) = x(i) > kLimit ? x(i) : low;
    }
    return y;
  }
};

}  // namespace ramet::linalg::RAMET_LEVEL
