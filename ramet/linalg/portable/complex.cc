#include <cmath>
#include <complex>

#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::portable {
namespace {

template <class C>
using RealOf = typename C::value_type;

// Returns exp(x) - 1, also if x is close to 0.
template <class C>
C Expm1Of(C x) {
  using T = RealOf<C>;
  if (x.imag() == 0) return C(std::expm1(x.real()), x.imag());
  const T half = std::sin(x.imag() / 2);
  return C(std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
           std::exp(x.real()) * std::sin(x.imag()));
}

// Returns log(1 + x), also if x is close to 0.
template <class C>
C Log1pOf(C x) {
  using T = RealOf<C>;
  const T a = x.real(), b = x.imag();
  if (!(std::abs(a) < T(0.5) && std::abs(b) < T(0.5))) return std::log(x + C(1));
  return C(std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a));
}

#define RAMET_OP(NAME, EXPR)           \
  struct NAME {                        \
    template <class C>                 \
    static auto Do(C x) {              \
      [[maybe_unused]] const C one(1); \
      return EXPR;                     \
    }                                  \
  };
RAMET_OP(Neg, -x)
RAMET_OP(Sign, x == C(0) ? C(0) : x / std::abs(x))
RAMET_OP(Square, x* x)
RAMET_OP(Sqrt, std::sqrt(x))
RAMET_OP(Rsqrt, one / std::sqrt(x))
RAMET_OP(Reciprocal, one / x)
RAMET_OP(Exp, std::exp(x))
RAMET_OP(Expm1, Expm1Of(x))
RAMET_OP(Log, std::log(x))
RAMET_OP(Log1p, Log1pOf(x))
RAMET_OP(Tanh, std::tanh(x))
RAMET_OP(Sigmoid, one / (one + std::exp(-x)))
RAMET_OP(Sin, std::sin(x))
RAMET_OP(Cos, std::cos(x))
RAMET_OP(Tan, std::tan(x))
RAMET_OP(Asin, std::asin(x))
RAMET_OP(Acos, std::acos(x))
RAMET_OP(Atan, std::atan(x))
RAMET_OP(Sinh, std::sinh(x))
RAMET_OP(Cosh, std::cosh(x))
RAMET_OP(Asinh, std::asinh(x))
RAMET_OP(Acosh, std::acosh(x))
RAMET_OP(Atanh, std::atanh(x))
RAMET_OP(Conj, std::conj(x))
RAMET_OP(Real, x.real())
RAMET_OP(Imag, x.imag())
RAMET_OP(Angle, std::arg(x))
RAMET_OP(AbsOf, std::abs(x))
#undef RAMET_OP

#define RAMET_OP(NAME, EXPR)                         \
  struct NAME {                                      \
    template <class C>                               \
    static auto Do(C a, C b) {                       \
      [[maybe_unused]] const C one(1);               \
      [[maybe_unused]] const C half(RealOf<C>(0.5)); \
      return EXPR;                                   \
    }                                                \
  };
RAMET_OP(Add, a + b)
RAMET_OP(Sub, a - b)
RAMET_OP(Mul, a* b)
RAMET_OP(Div, a / b)
RAMET_OP(Pow, std::pow(a, b))
RAMET_OP(SquaredDifference, (a - b) * std::conj(a - b))
RAMET_OP(DivNoNan, b == C(0) ? C(0) : a / b)
RAMET_OP(MulNoNan, b == C(0) ? C(0) : a * b)
RAMET_OP(Xdivy, a == C(0) ? C(0) : a / b)
RAMET_OP(Xlogy, a == C(0) ? C(0) : a * std::log(b))
RAMET_OP(Xlog1py, a == C(0) ? C(0) : a * std::log(one + b))
RAMET_OP(Equal, a == b)
RAMET_OP(NotEqual, a != b)
RAMET_OP(SigmoidGrad, b* a*(one - a))
RAMET_OP(TanhGrad, b*(one - a * a))
RAMET_OP(SqrtGrad, b == C(0) ? C(0) : b * half / std::conj(a))
RAMET_OP(RsqrtGrad, b == C(0) ? C(0) : -b * half * std::conj(a * a * a))
RAMET_OP(ReciprocalGrad, b == C(0) ? C(0) : -b * std::conj(a * a))
#undef RAMET_OP

template <class C>
void AddUnaryOf(KernelTable& t) {
  constexpr Type type = TypeOf<C>;
  t.Set(UnaryOp::kNeg, type, UnaryLoop<Neg, C>);
  t.Set(UnaryOp::kSign, type, UnaryLoop<Sign, C>);
  t.Set(UnaryOp::kSquare, type, UnaryLoop<Square, C>);
  t.Set(UnaryOp::kSqrt, type, UnaryLoop<Sqrt, C>);
  t.Set(UnaryOp::kRsqrt, type, UnaryLoop<Rsqrt, C>);
  t.Set(UnaryOp::kReciprocal, type, UnaryLoop<Reciprocal, C>);
  t.Set(UnaryOp::kExp, type, UnaryLoop<Exp, C>);
  t.Set(UnaryOp::kExpm1, type, UnaryLoop<Expm1, C>);
  t.Set(UnaryOp::kLog, type, UnaryLoop<Log, C>);
  t.Set(UnaryOp::kLog1p, type, UnaryLoop<Log1p, C>);
  t.Set(UnaryOp::kTanh, type, UnaryLoop<Tanh, C>);
  t.Set(UnaryOp::kSigmoid, type, UnaryLoop<Sigmoid, C>);
  t.Set(UnaryOp::kSin, type, UnaryLoop<Sin, C>);
  t.Set(UnaryOp::kCos, type, UnaryLoop<Cos, C>);
  t.Set(UnaryOp::kTan, type, UnaryLoop<Tan, C>);
  t.Set(UnaryOp::kAsin, type, UnaryLoop<Asin, C>);
  t.Set(UnaryOp::kAcos, type, UnaryLoop<Acos, C>);
  t.Set(UnaryOp::kAtan, type, UnaryLoop<Atan, C>);
  t.Set(UnaryOp::kSinh, type, UnaryLoop<Sinh, C>);
  t.Set(UnaryOp::kCosh, type, UnaryLoop<Cosh, C>);
  t.Set(UnaryOp::kAsinh, type, UnaryLoop<Asinh, C>);
  t.Set(UnaryOp::kAcosh, type, UnaryLoop<Acosh, C>);
  t.Set(UnaryOp::kAtanh, type, UnaryLoop<Atanh, C>);
  t.Set(UnaryOp::kConj, type, UnaryLoop<Conj, C>);
  t.Set(UnaryOp::kReal, type, UnaryLoop<Real, C, RealOf<C>>);
  t.Set(UnaryOp::kImag, type, UnaryLoop<Imag, C, RealOf<C>>);
  t.Set(UnaryOp::kAngle, type, UnaryLoop<Angle, C, RealOf<C>>);
  t.Set(UnaryOp::kComplexAbs, type, UnaryLoop<AbsOf, C, RealOf<C>>);
}

template <class C>
void AddBinaryOf(KernelTable& t) {
  constexpr Type type = TypeOf<C>;
  t.Set(BinaryOp::kAdd, type, BinaryRows<Add, C>);
  t.Set(BinaryOp::kSub, type, BinaryRows<Sub, C>);
  t.Set(BinaryOp::kMul, type, BinaryRows<Mul, C>);
  t.Set(BinaryOp::kDiv, type, BinaryRows<Div, C>);
  t.Set(BinaryOp::kPow, type, BinaryRows<Pow, C>);
  t.Set(BinaryOp::kSquaredDifference, type, BinaryRows<SquaredDifference, C>);
  t.Set(BinaryOp::kDivNoNan, type, BinaryRows<DivNoNan, C>);
  t.Set(BinaryOp::kMulNoNan, type, BinaryRows<MulNoNan, C>);
  t.Set(BinaryOp::kXdivy, type, BinaryRows<Xdivy, C>);
  t.Set(BinaryOp::kXlogy, type, BinaryRows<Xlogy, C>);
  t.Set(BinaryOp::kXlog1py, type, BinaryRows<Xlog1py, C>);
  t.Set(BinaryOp::kEqual, type, BinaryRows<Equal, C, bool>);
  t.Set(BinaryOp::kNotEqual, type, BinaryRows<NotEqual, C, bool>);
  t.Set(BinaryOp::kSigmoidGrad, type, BinaryRows<SigmoidGrad, C>);
  t.Set(BinaryOp::kTanhGrad, type, BinaryRows<TanhGrad, C>);
  t.Set(BinaryOp::kSqrtGrad, type, BinaryRows<SqrtGrad, C>);
  t.Set(BinaryOp::kRsqrtGrad, type, BinaryRows<RsqrtGrad, C>);
  t.Set(BinaryOp::kReciprocalGrad, type, BinaryRows<ReciprocalGrad, C>);
}

// Sums and products of complex numbers, in four accumulators and then pairwise as for reals.
template <class C, bool kProduct>
C Combine(C a, C b) {
  return kProduct ? a * b : a + b;
}

template <class C, bool kProduct>
C ReduceStrided(const C* x, int64_t n, int64_t stride) {
  if (n > 128) {
    const int64_t half = n / 256 * 128 + (n < 256 ? n / 2 : 0);
    return Combine<C, kProduct>(ReduceStrided<C, kProduct>(x, half, stride),
                                ReduceStrided<C, kProduct>(x + half * stride, n - half, stride));
  }
  C result(kProduct ? 1 : 0);
  for (int64_t i = 0; i < n; ++i) result = Combine<C, kProduct>(result, x[i * stride]);
  return result;
}

template <class C, bool kProduct>
void ComplexRows(const void* xv, int64_t rows, int64_t n, void* yv) {
  for (int64_t r = 0; r < rows; ++r) {
    static_cast<C*>(yv)[r] = ReduceStrided<C, kProduct>(static_cast<const C*>(xv) + r * n, n, 1);
  }
}

template <class C, bool kProduct>
void ComplexColumns(const void* xv, int64_t rows, int64_t n, int64_t ld, void* yv) {
  for (int64_t j = 0; j < n; ++j) {
    static_cast<C*>(yv)[j] = ReduceStrided<C, kProduct>(static_cast<const C*>(xv) + j, rows, ld);
  }
}

template <class C>
void AddReductionsOf(KernelTable& t) {
  t.Set(ReduceOp::kSum, TypeOf<C>, ComplexRows<C, false>, ComplexColumns<C, false>);
  t.Set(ReduceOp::kProd, TypeOf<C>, ComplexRows<C, true>, ComplexColumns<C, true>);
}

}  // namespace

void AddComplex(KernelTable& t) {
  AddUnaryOf<std::complex<float>>(t);
  AddUnaryOf<std::complex<double>>(t);
  AddBinaryOf<std::complex<float>>(t);
  AddBinaryOf<std::complex<double>>(t);
  AddReductionsOf<std::complex<float>>(t);
  AddReductionsOf<std::complex<double>>(t);
}

}  // namespace ramet::linalg::portable
