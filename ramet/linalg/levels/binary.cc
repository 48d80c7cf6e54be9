#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/real_math.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

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
RAMET_OP(SqrtGrad, b* T(0.5) / a)
RAMET_OP(RsqrtGrad, b* T(-0.5) * (a * a * a))
RAMET_OP(ReciprocalGrad, -b*(a* a))
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

template <class T>
void AddArithmetic(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(BinaryOp::kAdd, type, BinaryRows<Add, T>);
  t.Set(BinaryOp::kSub, type, BinaryRows<Sub, T>);
  t.Set(BinaryOp::kMul, type, BinaryRows<Mul, T>);
  t.Set(BinaryOp::kDiv, type, BinaryRows<Div, T>);
  t.Set(BinaryOp::kFloorDiv, type, BinaryRows<FloorDiv, T>);
  t.Set(BinaryOp::kMaximum, type, BinaryRows<Maximum, T>);
  t.Set(BinaryOp::kMinimum, type, BinaryRows<Minimum, T>);
  t.Set(BinaryOp::kSquaredDifference, type, BinaryRows<SquaredDifference, T>);
  t.Set(BinaryOp::kDivNoNan, type, BinaryRows<DivNoNan, T>);
  t.Set(BinaryOp::kMulNoNan, type, BinaryRows<MulNoNan, T>);
  t.Set(BinaryOp::kAtan2, type, BinaryRows<Atan2, T>);
  t.Set(BinaryOp::kXdivy, type, BinaryRows<Xdivy, T>);
  t.Set(BinaryOp::kEqual, type, BinaryRows<Equal, T, bool>);
  t.Set(BinaryOp::kNotEqual, type, BinaryRows<NotEqual, T, bool>);
  t.Set(BinaryOp::kLess, type, BinaryRows<Less, T, bool>);
  t.Set(BinaryOp::kLessEqual, type, BinaryRows<LessEqual, T, bool>);
  t.Set(BinaryOp::kGreater, type, BinaryRows<Greater, T, bool>);
  t.Set(BinaryOp::kGreaterEqual, type, BinaryRows<GreaterEqual, T, bool>);
}

template <class T>
void AddGradients(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(BinaryOp::kReluGrad, type, BinaryRows<ReluGrad, T>);
  t.Set(BinaryOp::kRelu6Grad, type, BinaryRows<Relu6Grad, T>);
  t.Set(BinaryOp::kEluGrad, type, BinaryRows<EluGrad, T>);
  t.Set(BinaryOp::kSeluGrad, type, BinaryRows<SeluGrad, T>);
  t.Set(BinaryOp::kSoftplusGrad, type, BinaryRows<SoftplusGrad, T>);
  t.Set(BinaryOp::kSoftsignGrad, type, BinaryRows<SoftsignGrad, T>);
  t.Set(BinaryOp::kSigmoidGrad, type, BinaryRows<SigmoidGrad, T>);
  t.Set(BinaryOp::kTanhGrad, type, BinaryRows<TanhGrad, T>);
  t.Set(BinaryOp::kSqrtGrad, type, BinaryRows<SqrtGrad, T>);
  t.Set(BinaryOp::kRsqrtGrad, type, BinaryRows<RsqrtGrad, T>);
  t.Set(BinaryOp::kReciprocalGrad, type, BinaryRows<ReciprocalGrad, T>);
}

}  // namespace

void AddBinary(KernelTable& t) {
  AddArithmetic<float>(t);
  AddArithmetic<double>(t);
  AddGradients<float>(t);
  AddGradients<double>(t);
  t.Set(BinaryOp::kXlogy, Type::kFloat, BinaryRows<Xlogy, float>);
  t.Set(BinaryOp::kXlog1py, Type::kFloat, BinaryRows<Xlog1py, float>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
