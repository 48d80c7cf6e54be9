#include <Eigen/Core>
#include <cmath>
#include <cstring>

#include "ramet/linalg/levels/loops.h"
#include "ramet/linalg/levels/tables.h"
#include "ramet/linalg/levels/unary_ops.h"

namespace ramet::linalg::RAMET_LEVEL {
namespace {

// Uses whole vectors only. Eigen's vector and scalar functions differ in the last bits, and an
// element's value must not depend on its position in the span.
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

// Sine or cosine of a float. Subtracts a multiple of pi / 2, which is exact in double for numbers
// below kMaxReduced.
template <bool kCosine>
struct Wave {
  static constexpr float kMaxReduced = 1e6f;
  static float Do(float x) {
    constexpr double kRounder = Layout<double>::kRounder;
    const double wide = x;
    const double n = (wide * 0.63661977236758134308 + kRounder) - kRounder;
    const double rest = (wide - n * 1.5707963267341256142) - n * 6.0771005065061926015e-11;
    const float r = static_cast<float>(rest), z = r * r;
    const uint32_t quarter =
        __builtin_bit_cast(uint32_t, static_cast<float>(n) + Layout<float>::kRounder) + kCosine;
    const float s =
        Horner(z, -0.166666666414, 0.00833332935575, -0.000198393250119, 2.71821684264e-6);
    const float c =
        Horner(z, 0.0416666666224, -0.00138888837141, 2.47995094854e-5, -2.72093575823e-7);
    const float sine = MulAdd(r * z, s, r), cosine = MulAdd(z * z, c, MulAdd(z, -0.5f, 1.0f));
    const float value = quarter & 1 ? cosine : sine;
    const uint32_t sign = (quarter & 2) << 30;
    const float y = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, value) ^ sign);
    return !kCosine && x == 0 ? x : y;
  }
  static float Large(float x) {
    return static_cast<float>(kCosine ? __builtin_cos(x) : __builtin_sin(x));
  }
};

template <class Wave>
bool WaveLoop(const void* xv, void* yv, int64_t n) {
  constexpr int64_t kBlock = 256;
  const float* x = static_cast<const float*>(xv);
  float* y = static_cast<float*>(yv);
  if (n == 1) {
    const float one = *x;
    *y = __builtin_fabsf(one) > Wave::kMaxReduced ? Wave::Large(one) : Wave::Do(one);
    return true;
  }
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    float block[kBlock];
    int large = 0;
    for (int64_t i = 0; i < count; ++i) block[i] = x[begin + i];
    for (int64_t i = 0; i < count; ++i) large |= __builtin_fabsf(block[i]) > Wave::kMaxReduced;
    for (int64_t i = 0; i < count; ++i) y[begin + i] = Wave::Do(block[i]);
    for (int64_t i = 0; large != 0 && i < count; ++i) {
      if (__builtin_fabsf(block[i]) > Wave::kMaxReduced) y[begin + i] = Wave::Large(block[i]);
    }
  }
  return true;
}

#define RAMET_VECTOR_OP(NAME, EXPR) \
  struct NAME {                     \
    template <class A>              \
    static A Do(const A& x) {       \
      return EXPR;                  \
    }                               \
  };
RAMET_VECTOR_OP(Log, x.log())
RAMET_VECTOR_OP(Log1p, x.log1p())
RAMET_VECTOR_OP(Tanh, x.tanh())
RAMET_VECTOR_OP(Sin, x.sin())
RAMET_VECTOR_OP(Cos, x.cos())
#undef RAMET_VECTOR_OP

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
void AddFunctions(KernelTable& t) {
  constexpr Type type = TypeOf<T>;
  t.Set(UnaryOp::kExp, type, UnaryLoop<Exp, T>);
  t.Set(UnaryOp::kExpm1, type, UnaryLoop<Expm1, T>);
  t.Set(UnaryOp::kSigmoid, type, UnaryLoop<Sigmoid, T>);
  t.Set(UnaryOp::kElu, type, UnaryLoop<Elu, T>);
  t.Set(UnaryOp::kSelu, type, UnaryLoop<Selu, T>);
  t.Set(UnaryOp::kAtan, type, UnaryLoop<Atan, T>);
  t.Set(UnaryOp::kErf, type, UnaryLoop<Erf, T>);
  t.Set(UnaryOp::kLog, type, UnaryVectors<Log, T>);
}

}  // namespace

void AddUnary(KernelTable& t) {
  AddLoops<float>(t);
  AddLoops<double>(t);
  AddFunctions<float>(t);
  AddFunctions<double>(t);
  t.Set(UnaryOp::kLog1p, Type::kFloat, UnaryLoop<FloatLog1p, float>);
  t.Set(UnaryOp::kLog1p, Type::kDouble, UnaryVectors<Log1p, double>);
  t.Set(UnaryOp::kTanh, Type::kFloat, UnaryVectors<Tanh, float>);
  t.Set(UnaryOp::kTanh, Type::kDouble, UnaryLoop<DoubleTanh, double>);
  t.Set(UnaryOp::kSin, Type::kFloat, WaveLoop<Wave<false>>);
  t.Set(UnaryOp::kCos, Type::kFloat, WaveLoop<Wave<true>>);
  t.Set(UnaryOp::kSin, Type::kDouble, UnaryVectors<Sin, double>);
  t.Set(UnaryOp::kCos, Type::kDouble, UnaryVectors<Cos, double>);
  t.Set(UnaryOp::kSoftplus, Type::kFloat, UnaryLoop<Softplus, float>);
  t.Set(UnaryOp::kSoftplus, Type::kDouble, UnaryVectors<Softplus, double>);
  t.Set(UnaryOp::kAsin, Type::kFloat, UnaryLoop<Asin, float>);
  t.Set(UnaryOp::kAcos, Type::kFloat, UnaryLoop<Acos, float>);
  t.Set(UnaryOp::kAtanh, Type::kFloat, UnaryLoop<Atanh, float>);
  t.Set(UnaryOp::kErfc, Type::kFloat, UnaryLoop<Erfc, float>);
}

}  // namespace ramet::linalg::RAMET_LEVEL
