#pragma once

#include "ramet/linalg/levels/real_math.h"

// Binary operations of one element, Op::Do(a, b), for loops over spans and for strips.

namespace ramet::linalg::RAMET_LEVEL {

#define RAMET_OP(NAME, EXPR)   \
  struct NAME {                \
    template <class T>         \
    static auto Do(T a, T b) { \
      return EXPR;             \
    }                          \
  };
RAMET_OP(Add, a + b)
RAMET_OP(Sub, a - b)
RAMET_OP(Mul, a* b)
RAMET_OP(Div, a / b)
RAMET_OP(Maximum, ((a >= b) | (a != a)) ? a : b)
RAMET_OP(Minimum, ((a <= b) | (a != a)) ? a : b)
RAMET_OP(SquaredDifference, (a - b) * (a - b))
RAMET_OP(DivNoNan, b == 0 ? T(0) : a / b)
RAMET_OP(MulNoNan, b == 0 ? T(0) : a * b)
RAMET_OP(Xdivy, a == 0 ? T(0) : a / b)
RAMET_OP(Equal, a == b)
RAMET_OP(NotEqual, a != b)
RAMET_OP(Less, a < b)
RAMET_OP(LessEqual, a <= b)
RAMET_OP(Greater, a > b)
RAMET_OP(GreaterEqual, a >= b)
RAMET_OP(ReluGrad, b > 0 ? a : T(0))
RAMET_OP(Relu6Grad, ((b > 0) & (b < 6)) ? a : T(0))
RAMET_OP(EluGrad, b < 0 ? (b + 1) * a : a)
RAMET_OP(SeluGrad, b < 0 ? a * (b + static_cast<T>(1.7580993408473768599402175208123))
                         : a * static_cast<T>(1.0507009873554804934193349852946))
RAMET_OP(SigmoidGrad, b*(a*(1 - a)))
RAMET_OP(TanhGrad, b*(1 - a * a))
// Like TensorFlow, these return 0 for a gradient of 0, even if the slope is infinite or NaN.
RAMET_OP(SqrtGrad, b == 0 ? T(0) : b * T(0.5) / a)
RAMET_OP(RsqrtGrad, b == 0 ? T(0) : b * T(-0.5) * (a * a * a))
RAMET_OP(ReciprocalGrad, b == 0 ? T(0) : -b * (a * a))
RAMET_OP(SoftplusGrad, a / (ExpOf(-b) + 1))
RAMET_OP(Atan2, Atan2Of(a, b))
RAMET_OP(Xlogy, a == 0 ? T(0) : a * LogOf(b))
RAMET_OP(Xlog1py, a == 0 ? T(0) : a * Log1pOf(b))
#undef RAMET_OP

struct FloorDiv {
  static float Do(float a, float b) { return __builtin_floorf(a / b); }
  static double Do(double a, double b) { return __builtin_floor(a / b); }
};
struct SoftsignGrad {
  static float Do(float a, float b) {
    const float d = __builtin_fabsf(b) + 1;
    return a / (d * d);
  }
  static double Do(double a, double b) {
    const double d = __builtin_fabs(b) + 1;
    return a / (d * d);
  }
};

}  // namespace ramet::linalg::RAMET_LEVEL
