#include <Eigen/Core>
#include <cmath>
#include <cstring>

#include "ramet/linalg/levels/exp.h"
#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Whole vectors only: Eigen's vector and scalar functions differ in the last bits, and an element's
// value must not depend on its place in the span.
template <class Op, class T>
bool UnaryVectors(const void* xv, void* yv, int64_t n) {
  constexpr int kWidth = 64 / sizeof(T);
  using Block = Eigen::Array<T, kWidth, 1>;
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const Block block = Eigen::Map<const Block>(x + i);
    const Block result = Op::Do(block);
    Eigen::Map<Block>(y + i) = result;
  }
  if (i < n) {
    Block block = Block::Ones();
    std::memcpy(block.data(), x + i, (n - i) * sizeof(T));
    const Block result = Op::Do(block);
    std::memcpy(y + i, result.data(), (n - i) * sizeof(T));
  }
  return true;
}

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

#define RAMET_VECTOR_OP(NAME, EXPR) \
  struct NAME {                     \
    template <class A>              \
    static A Do(const A& x) {       \
      return EXPR;                  \
    }                               \
  };
RAMET_VECTOR_OP(Exp, ExpOf<A>(x))
RAMET_VECTOR_OP(Expm1, (x > typename A::Scalar(80)).select(ExpOf<A>(x), x.expm1()))
RAMET_VECTOR_OP(Log, x.log())
RAMET_VECTOR_OP(Log1p, x.log1p())
RAMET_VECTOR_OP(Tanh, x.tanh())
RAMET_VECTOR_OP(Sigmoid, typename A::Scalar(1) / (ExpOf<A>(-x) + typename A::Scalar(1)))
RAMET_VECTOR_OP(Sin, x.sin())
RAMET_VECTOR_OP(Cos, x.cos())
RAMET_VECTOR_OP(Elu, (x < typename A::Scalar(0)).select(x.expm1(), x))
#undef RAMET_VECTOR_OP

// The constants of Klambauer et al., "Self-normalizing neural networks".
struct Selu {
  template <class A>
  static A Do(const A& x) {
    using T = typename A::Scalar;
    constexpr T kScale = static_cast<T>(1.0507009873554804934193349852946);
    constexpr T kScaleAlpha = static_cast<T>(1.7580993408473768599402175208123);
    return (x < T(0)).select(x.expm1() * kScaleAlpha, x * kScale);
  }
};

// x where exp(-x) vanishes beside 1, exp(x) where exp(x) does.
struct Softplus {
  template <class A>
  static A Do(const A& x) {
    using T = typename A::Scalar;
    const T limit = sizeof(T) == 4 ? T(-13.942385) : T(-34.04365338911715);
    const A exp = ExpOf<A>(x);
    const A middle = exp.log1p();
    return (x > -limit).select(x, (x < limit).select(exp, middle));
  }
};

template <class T>
void LeakyLoop(double alpha_value, const void* xv, void* yv, int64_t n) {
  const T alpha = static_cast<T>(alpha_value);
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? x[i] * alpha : x[i];
}

template <class T>
void LeakyGradLoop(double alpha_value, const void* gv, const void* xv, void* yv, int64_t n) {
  const T alpha = static_cast<T>(alpha_value);
  const T* g = static_cast<const T*>(gv);
  const T* x = static_cast<const T*>(xv);
  T* y = static_cast<T*>(yv);
  RAMET_IVDEP
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? g[i] : g[i] * alpha;
}

template <class T>
void AddLoops(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(UnaryOp::kNeg, type, UnaryLoop<Neg, T>);
  t.Set(UnaryOp::kAbs, type, UnaryLoop<Abs, T>);
  t.Set(UnaryOp::kSign, type, UnaryLoop<Sign, T>);
  t.Set(UnaryOp::kSquare, type, UnaryLoop<Square, T>);
  t.Set(UnaryOp::kSqrt, type, UnaryLoop<Sqrt, T>);
  t.Set(UnaryOp::kRsqrt, type, UnaryLoop<Rsqrt, T>);
  t.Set(UnaryOp::kReciprocal, type, UnaryLoop<Reciprocal, T>);
  t.Set(UnaryOp::kFloor, type, UnaryLoop<Floor, T>);
  t.Set(UnaryOp::kCeil, type, UnaryLoop<Ceil, T>);
  t.Set(UnaryOp::kRint, type, UnaryLoop<Rint, T>);
  t.Set(UnaryOp::kRound, type, UnaryLoop<Rint, T>);
  t.Set(UnaryOp::kIsNan, type, UnaryLoop<IsNan, T, bool>);
  t.Set(UnaryOp::kIsInf, type, UnaryLoop<IsInf, T, bool>);
  t.Set(UnaryOp::kIsFinite, type, UnaryLoop<IsFinite, T, bool>);
  t.Set(UnaryOp::kRelu, type, UnaryLoop<Relu, T>);
  t.Set(UnaryOp::kRelu6, type, UnaryLoop<Relu6, T>);
  t.Set(UnaryOp::kSoftsign, type, UnaryLoop<Softsign, T>);
  t.leaky_relu[static_cast<int>(type)] = LeakyLoop<T>;
  t.leaky_relu_grad[static_cast<int>(type)] = LeakyGradLoop<T>;
}

template <class T>
void AddVectors(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(UnaryOp::kExp, type, UnaryVectors<Exp, T>);
  t.Set(UnaryOp::kExpm1, type, UnaryVectors<Expm1, T>);
  t.Set(UnaryOp::kLog, type, UnaryVectors<Log, T>);
  t.Set(UnaryOp::kLog1p, type, UnaryVectors<Log1p, T>);
  t.Set(UnaryOp::kTanh, type, UnaryVectors<Tanh, T>);
  t.Set(UnaryOp::kSigmoid, type, UnaryVectors<Sigmoid, T>);
  t.Set(UnaryOp::kSin, type, UnaryVectors<Sin, T>);
  t.Set(UnaryOp::kCos, type, UnaryVectors<Cos, T>);
  t.Set(UnaryOp::kElu, type, UnaryVectors<Elu, T>);
  t.Set(UnaryOp::kSelu, type, UnaryVectors<Selu, T>);
  t.Set(UnaryOp::kSoftplus, type, UnaryVectors<Softplus, T>);
}

}  // namespace

void AddUnary(KernelTable& t) {
  AddLoops<float>(t);
  AddLoops<double>(t);
  AddVectors<float>(t);
  AddVectors<double>(t);
}

}  // namespace ramet::linalg::RAMET_LEVEL
