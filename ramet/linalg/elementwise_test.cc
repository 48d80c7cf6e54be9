#include "ramet/linalg/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/gemm.h"
#include "ramet/linalg/reduce.h"
#include "ramet/linalg/select.h"
#include "ramet/linalg/test_util.h"

namespace ramet::linalg {
namespace {

using ::testing::ElementsAre;
using ::testing::NanSensitiveFloatEq;
using ::testing::Pointwise;
using Floats = std::vector<float>;
using Dims = std::vector<int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
std::vector<T> Apply(UnaryOp op, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  EXPECT_TRUE(Unary(op, TypeOf<T>, x.data(), y.data(), x.size()));
  return y;
}

template <class T>
std::vector<T> Apply(BinaryOp op, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> y(a.size());
  EXPECT_TRUE(Binary(op, TypeOf<T>, a.data(), b.data(), y.data(), a.size()));
  return y;
}

auto Equals(const Floats& want) { return Pointwise(::testing::NanSensitiveFloatEq(), want); }

// The values of TensorFlow 2.21 on CPU.
TEST(Unary, SpecialValues) {
  AtEachLevel([] {
    const Floats x = {kNan, -kInf, kInf, -1, 0, 7};
    EXPECT_THAT(Apply(UnaryOp::kRelu, x), Equals({kNan, 0, kInf, 0, 0, 7}));
    EXPECT_THAT(Apply(UnaryOp::kRelu6, x), Equals({kNan, 0, 6, 0, 0, 6}));
    EXPECT_THAT(Apply(UnaryOp::kElu, x), Equals({kNan, -1, kInf, -0.63212055f, 0, 7}));
    EXPECT_THAT(Apply(UnaryOp::kSelu, x),
                Equals({kNan, -1.7580993f, kInf, -1.1113307f, 0, 7.3549068f}));
    EXPECT_THAT(Apply(UnaryOp::kSoftplus, x),
                Equals({kNan, 0, kInf, 0.3132617f, 0.6931472f, 7.0009117f}));
    EXPECT_THAT(Apply(UnaryOp::kSign, x), Equals({kNan, -1, 1, -1, 0, 1}));
    EXPECT_THAT(Apply(UnaryOp::kExp, x), Equals({kNan, 0, kInf, 0.36787944f, 1, 1096.6332f}));
    EXPECT_THAT(Apply(UnaryOp::kLog, x), Equals({kNan, kNan, kInf, kNan, -kInf, 1.9459101f}));
    EXPECT_THAT(Apply(UnaryOp::kSigmoid, x), Equals({kNan, 0, 1, 0.26894143f, 0.5f, 0.99908894f}));
    EXPECT_THAT(Apply(UnaryOp::kTanh, x), Equals({kNan, -1, 1, -0.76159418f, 0, 0.99999833f}));
    EXPECT_THAT(Apply(UnaryOp::kRsqrt, x), Equals({kNan, kNan, 0, kNan, kInf, 0.37796447f}));
  });
}

TEST(Unary, RoundsHalvesToEven) {
  AtEachLevel([] {
    const Floats x = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f};
    EXPECT_THAT(Apply(UnaryOp::kRint, x), ElementsAre(0, 2, 2, 0, -2));
    EXPECT_THAT(Apply(UnaryOp::kRound, x), ElementsAre(0, 2, 2, 0, -2));
    EXPECT_THAT(Apply(UnaryOp::kFloor, x), ElementsAre(0, 1, 2, -1, -2));
    EXPECT_THAT(Apply(UnaryOp::kCeil, x), ElementsAre(1, 2, 3, 0, -1));
  });
}

TEST(Unary, Predicates) {
  AtEachLevel([] {
    const Floats x = {kNan, -kInf, 0, 1, kInf};
    bool y[5];
    Unary(UnaryOp::kIsNan, Type::kFloat, x.data(), y, 5);
    EXPECT_THAT(y, ElementsAre(true, false, false, false, false));
    Unary(UnaryOp::kIsInf, Type::kFloat, x.data(), y, 5);
    EXPECT_THAT(y, ElementsAre(false, true, false, false, true));
    Unary(UnaryOp::kIsFinite, Type::kFloat, x.data(), y, 5);
    EXPECT_THAT(y, ElementsAre(false, false, true, true, false));
  });
}

struct Reference {
  UnaryOp op;
  long double (*f)(long double);
  double low;
  double high;
};

const Reference kReferences[] = {
    {UnaryOp::kSquare, [](long double x) { return x * x; }, -3, 3},
    {UnaryOp::kSqrt, [](long double x) { return std::sqrt(x); }, 0, 9},
    {UnaryOp::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }, 0.01, 9},
    {UnaryOp::kReciprocal, [](long double x) { return 1 / x; }, 0.1, 9},
    {UnaryOp::kExp, [](long double x) { return std::exp(x); }, -80, 88.7},
    {UnaryOp::kExpm1, [](long double x) { return std::expm1(x); }, -3, 3},
    {UnaryOp::kLog, [](long double x) { return std::log(x); }, 0.001, 9},
    {UnaryOp::kLog1p, [](long double x) { return std::log1p(x); }, -0.9, 3},
    {UnaryOp::kTanh, [](long double x) { return std::tanh(x); }, -9, 9},
    {UnaryOp::kSigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, -70, 70},
    {UnaryOp::kSin, [](long double x) { return std::sin(x); }, -99, 99},
    {UnaryOp::kCos, [](long double x) { return std::cos(x); }, -99, 99},
    {UnaryOp::kTan, [](long double x) { return std::tan(x); }, -1, 1},
    {UnaryOp::kAsin, [](long double x) { return std::asin(x); }, -1, 1},
    {UnaryOp::kAtanh, [](long double x) { return std::atanh(x); }, -0.9, 0.9},
    {UnaryOp::kErf, [](long double x) { return std::erf(x); }, -3, 3},
    {UnaryOp::kLgamma, [](long double x) { return std::lgamma(x); }, 3, 30},
    {UnaryOp::kSoftplus, [](long double x) { return std::log1p(std::exp(x)); }, -60, 60},
    {UnaryOp::kSoftsign, [](long double x) { return x / (1 + std::fabs(x)); }, -60, 60},
};

template <class T>
void CheckReference(const Reference& r, double tolerance) {
  for (const int64_t n : {1, 7, 16, 33, 5000}) {
    std::vector<T> x = Noise<T>(n);
    for (T& v : x) v = static_cast<T>(r.low + (v + 1) / 2 * (r.high - r.low));
    const std::vector<T> y = Apply(r.op, x);
    for (int64_t i = 0; i < n; ++i) {
      const double want = r.f(x[i]);
      ASSERT_NEAR(y[i], want, tolerance * std::fabs(want) + std::numeric_limits<T>::min())
          << "op " << static_cast<int>(r.op) << " level " << CpuLevel() << " x " << x[i];
    }
  }
}

TEST(Unary, AgreesWithLibmAtEachLevel) {
  AtEachLevel([] {
    for (const Reference& r : kReferences) {
      CheckReference<float>(r, 2e-6);
      CheckReference<double>(r, 4e-15);
    }
  });
}

struct UlpCase {
  UnaryOp op;
  long double (*f)(long double);
  double low, high;
  double ulps;
};

// The functions of levels/real_math.h with their largest error in units in the last place.
const UlpCase kUlpCases[] = {
    {UnaryOp::kExp, [](long double x) { return std::exp(x); }, -87, 88.7, 1.5},
    {UnaryOp::kExpm1, [](long double x) { return std::expm1(x); }, -20, 88, 2},
    {UnaryOp::kExpm1, [](long double x) { return std::expm1(x); }, -1, 1, 2},
    {UnaryOp::kSigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, -80, 80, 3},
    {UnaryOp::kSoftplus, [](long double x) { return std::log1p(std::exp(x)); }, -20, 20, 8},
    {UnaryOp::kErf, [](long double x) { return std::erf(x); }, -6, 6, 6},
    {UnaryOp::kAtan, [](long double x) { return std::atan(x); }, -9, 9, 2.5},
};
const UlpCase kFloatUlpCases[] = {
    {UnaryOp::kSin, [](long double x) { return std::sin(x); }, -100, 100, 1.6},
    {UnaryOp::kCos, [](long double x) { return std::cos(x); }, -100, 100, 1.6},
    {UnaryOp::kSin, [](long double x) { return std::sin(x); }, -2e6, 2e6, 1.6},
    {UnaryOp::kCos, [](long double x) { return std::cos(x); }, -2e6, 2e6, 1.6},
    {UnaryOp::kLog1p, [](long double x) { return std::log1p(x); }, -0.99, 100, 2},
    {UnaryOp::kErfc, [](long double x) { return std::erfc(x); }, -6, 9.1, 6},
    {UnaryOp::kAsin, [](long double x) { return std::asin(x); }, -1, 1, 2.5},
    {UnaryOp::kAcos, [](long double x) { return std::acos(x); }, -1, 1, 2},
    {UnaryOp::kAtanh, [](long double x) { return std::atanh(x); }, -0.999, 0.999, 3},
};

template <class T>
void CheckUlps(const UlpCase& c) {
  std::vector<T> x = Noise<T>(100003);
  for (T& v : x) v = static_cast<T>(c.low + (v + 1) / 2 * (c.high - c.low));
  const std::vector<T> y = Apply(c.op, x);
  double worst = 0, at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double want = c.f(x[i]);
    const T near = std::fabs(static_cast<T>(want));
    const T ulp = std::nextafter(near, std::numeric_limits<T>::infinity()) - near;
    const double error = std::fabs(static_cast<double>((y[i] - want) / ulp));
    if (!(error <= worst)) worst = error, at = x[i];
  }
  EXPECT_LE(worst, c.ulps) << "op " << static_cast<int>(c.op) << " level " << CpuLevel() << " of "
                           << sizeof(T) << " bytes at " << at;
}

TEST(Unary, IsAccurateToAFewUlps) {
  AtEachLevel([] {
    for (const UlpCase& c : kUlpCases) {
      CheckUlps<float>(c);
      CheckUlps<double>(c);
    }
    for (const UlpCase& c : kFloatUlpCases) CheckUlps<float>(c);
    CheckUlps<double>({UnaryOp::kTanh, [](long double x) { return std::tanh(x); }, -25, 25, 3});
  });
}

TEST(Unary, FunctionsAtTheLimitsOfTheirDomains) {
  AtEachLevel([] {
    const Floats x = {kNan, -kInf, kInf, 0};
    EXPECT_THAT(Apply(UnaryOp::kExpm1, x), Equals({kNan, -1, kInf, 0}));
    EXPECT_THAT(Apply(UnaryOp::kLog1p, x), Equals({kNan, kNan, kInf, 0}));
    EXPECT_THAT(Apply<float>(UnaryOp::kErf, {3.92f, 5}), ElementsAre(1, 1));
    EXPECT_THAT(Apply(UnaryOp::kErf, x), Equals({kNan, -1, 1, 0}));
    EXPECT_THAT(Apply(UnaryOp::kErfc, x), Equals({kNan, 2, 0, 1}));
    EXPECT_THAT(Apply(UnaryOp::kAtan, x), Equals({kNan, -1.5707964f, 1.5707964f, 0}));
    EXPECT_THAT(Apply(UnaryOp::kSin, x), Equals({kNan, kNan, kNan, 0}));
    EXPECT_THAT(Apply(UnaryOp::kCos, x), Equals({kNan, kNan, kNan, 1}));
    const Floats unit = {kNan, -2, 2, -1, 1, 0};
    EXPECT_THAT(Apply(UnaryOp::kAsin, unit),
                Equals({kNan, kNan, kNan, -1.5707964f, 1.5707964f, 0}));
    EXPECT_THAT(Apply(UnaryOp::kAcos, unit), Equals({kNan, kNan, kNan, 3.1415927f, 0, 1.5707964f}));
    EXPECT_THAT(Apply(UnaryOp::kAtanh, unit), Equals({kNan, kNan, kNan, -kInf, kInf, 0}));
    for (const UnaryOp op : {UnaryOp::kExpm1, UnaryOp::kErf, UnaryOp::kAtan, UnaryOp::kSin,
                             UnaryOp::kAsin, UnaryOp::kAtanh}) {
      EXPECT_TRUE(std::signbit(Apply<float>(op, {-0.0f})[0])) << static_cast<int>(op);
    }
  });
}

TEST(Binary, Atan2InAllQuadrants) {
  AtEachLevel([] {
    for (const float y : {-kInf, -2.0f, -1e-30f, -0.0f, 0.0f, 3.0f, kInf, kNan}) {
      for (const float x : {-kInf, -2.5f, -0.0f, 0.0f, 1e-30f, 7.0f, kInf, kNan}) {
        const float got = Apply<float>(BinaryOp::kAtan2, {y}, {x})[0];
        EXPECT_THAT(got, NanSensitiveFloatEq(std::atan2(y, x))) << y << " " << x;
        EXPECT_TRUE(got != got || std::signbit(got) == std::signbit(y)) << y << " " << x;
        const double wide = Apply<double>(BinaryOp::kAtan2, {y}, {x})[0];
        EXPECT_THAT(wide, ::testing::NanSensitiveDoubleEq(std::atan2(double{y}, double{x})));
      }
    }
    const Floats y = Noise(50000, 1), x = Noise(50000, 2);
    const Floats got = Apply(BinaryOp::kAtan2, y, x);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(got[i], std::atan2(double{y[i]}, double{x[i]}), 3e-7 * std::fabs(got[i]));
    }
  });
}

TEST(Unary, ValueDoesNotDependOnThePosition) {
  AtEachLevel([] {
    const Floats x(77, 0.3712f);
    for (const UnaryOp op :
         {UnaryOp::kExp, UnaryOp::kTanh, UnaryOp::kLog, UnaryOp::kSin, UnaryOp::kErf,
          UnaryOp::kErfc, UnaryOp::kAsin, UnaryOp::kAtan, UnaryOp::kSoftplus}) {
      const Floats y = Apply(op, x);
      EXPECT_EQ(y, Floats(77, y[0]));
    }
  });
}

TEST(Unary, InPlaceAndEmpty) {
  Floats x = {1, 4, 9};
  EXPECT_TRUE(Unary(UnaryOp::kSqrt, Type::kFloat, x.data(), x.data(), 3));
  EXPECT_THAT(x, ElementsAre(1, 2, 3));
  EXPECT_TRUE(Unary(UnaryOp::kSqrt, Type::kFloat, nullptr, nullptr, 0));
}

TEST(Unary, Integers) {
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(Apply<int32_t>(UnaryOp::kNeg, {lowest, 7}), ElementsAre(lowest, -7));
  EXPECT_THAT(Apply<int32_t>(UnaryOp::kAbs, {lowest, -7}), ElementsAre(lowest, 7));
  EXPECT_THAT(Apply<int8_t>(UnaryOp::kSquare, {100, -3}), ElementsAre(16, 9));
  EXPECT_THAT(Apply<int64_t>(UnaryOp::kSign, {-5, 0, 5}), ElementsAre(-1, 0, 1));
  EXPECT_THAT(Apply<uint8_t>(UnaryOp::kInvert, {1}), ElementsAre(254));
  EXPECT_THAT(Apply<int32_t>(UnaryOp::kRelu, {-3, 4}), ElementsAre(0, 4));
  EXPECT_THAT(Apply<int32_t>(UnaryOp::kReciprocal, {1, 7, -1}), ElementsAre(1, 0, -1));
  EXPECT_THAT(Apply<uint32_t>(UnaryOp::kReciprocal, {1, ~0u}), ElementsAre(1, 0));
  int32_t zero = 0;
  EXPECT_FALSE(Unary(UnaryOp::kReciprocal, Type::kInt32, &zero, &zero, 1));
}

TEST(Unary, HalfRoundsTheFloatResult) {
  std::vector<Half> x;
  for (const float v : Noise(3000)) x.push_back(Half(v * 4));
  std::vector<Half> y(x.size());
  AtEachLevel([&] {
    Unary(UnaryOp::kSquare, Type::kHalf, x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], Half(static_cast<float>(x[i]) * static_cast<float>(x[i])));
    }
  });
}

TEST(Unary, Complex) {
  using C = std::complex<float>;
  EXPECT_EQ(Apply<C>(UnaryOp::kConj, {C(1, 2)})[0], C(1, -2));
  EXPECT_EQ(Apply<C>(UnaryOp::kSign, {C(0, -2), C(0, 0)})[0], C(0, -1));
  const C x(3, 4);
  float y;
  Unary(UnaryOp::kComplexAbs, Type::kComplex64, &x, &y, 1);
  EXPECT_EQ(y, 5);
  EXPECT_EQ(UnaryResultType(UnaryOp::kComplexAbs, Type::kComplex64), Type::kFloat);
}

TEST(Unary, ReportsSupportedTypes) {
  EXPECT_TRUE(HasUnary(UnaryOp::kExp, Type::kHalf));
  EXPECT_TRUE(HasUnary(UnaryOp::kExp, Type::kComplex128));
  EXPECT_FALSE(HasUnary(UnaryOp::kExp, Type::kInt32));
  EXPECT_FALSE(HasUnary(UnaryOp::kExp, static_cast<Type>(7)));
}

TEST(Binary, NanAndTies) {
  AtEachLevel([] {
    const Floats a = {kNan, 1, kNan, 2, -kInf};
    const Floats b = {1, kNan, kNan, 3, 0};
    EXPECT_THAT(Apply(BinaryOp::kMaximum, a, b), Equals({kNan, kNan, kNan, 3, 0}));
    EXPECT_THAT(Apply(BinaryOp::kMinimum, a, b), Equals({kNan, kNan, kNan, 2, -kInf}));
    EXPECT_THAT(Apply<float>(BinaryOp::kMulNoNan, {kNan, kInf, 2}, {0, 0, 3}), Equals({0, 0, 6}));
    EXPECT_THAT(Apply<float>(BinaryOp::kDivNoNan, {kNan, kInf, 2}, {0, 0, 4}),
                Equals({0, 0, 0.5f}));
  });
}

TEST(Binary, FloatDivisionAndModulo) {
  const Floats a = {7, -7, 7, -7, 1};
  const Floats b = {3, 3, -3, -3, 0};
  EXPECT_THAT(Apply(BinaryOp::kMod, a, b), Equals({1, -1, 1, -1, kNan}));
  EXPECT_THAT(Apply(BinaryOp::kFloorMod, a, b), Equals({1, 2, -2, -1, kNan}));
  EXPECT_THAT(Apply(BinaryOp::kFloorDiv, a, b), Equals({2, -3, -3, 2, kInf}));
  EXPECT_THAT(Apply<float>(BinaryOp::kPow, {-2, 0, kNan, 2}, {0.5f, 0, 0, 10}),
              Equals({kNan, 1, 1, 1024}));
}

template <class T>
void CheckIntegerDivision() {
  using Values = std::vector<T>;
  const T lowest = std::numeric_limits<T>::min();
  EXPECT_EQ(Apply(BinaryOp::kDiv, Values{lowest, 7, -7}, Values{-1, 2, 2}),
            (Values{lowest, 3, -3}));
  EXPECT_EQ(Apply(BinaryOp::kFloorDiv, Values{lowest, 7, -7, -8, 7}, Values{-1, 2, 2, 2, -2}),
            (Values{lowest, 3, -4, -4, -4}));
  EXPECT_EQ(Apply(BinaryOp::kMod, Values{lowest, 7, -7}, Values{-1, -2, 2}), (Values{0, 1, -1}));
  EXPECT_EQ(Apply(BinaryOp::kFloorMod, Values{lowest, 7, -7}, Values{-1, -2, 2}),
            (Values{0, -1, 1}));
  for (const BinaryOp op :
       {BinaryOp::kDiv, BinaryOp::kFloorDiv, BinaryOp::kMod, BinaryOp::kFloorMod}) {
    const Values a = {5, 6};
    const Values b = {0, 2};
    Values y(2);
    EXPECT_FALSE(Binary(op, TypeOf<T>, a.data(), b.data(), y.data(), 2));
    EXPECT_EQ(y[0], 0);
  }
}

TEST(Binary, IntegerDivisionReportsZeroAndWraps) {
  CheckIntegerDivision<int8_t>();
  CheckIntegerDivision<int16_t>();
  CheckIntegerDivision<int32_t>();
  CheckIntegerDivision<int64_t>();
  EXPECT_EQ(Apply<uint8_t>(BinaryOp::kFloorDiv, {255}, {2})[0], 127);
}

TEST(Binary, IntegerPowerAndShifts) {
  EXPECT_THAT(Apply<int32_t>(BinaryOp::kPow, {2, -3, 0, 1}, {5, 3, 0, 100}),
              ElementsAre(32, -27, 1, 1));
  const int32_t base = 2, exponent = -1;
  int32_t y;
  EXPECT_FALSE(Binary(BinaryOp::kPow, Type::kInt32, &base, &exponent, &y, 1));
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(Apply<int32_t>(BinaryOp::kLeftShift, {1, 1, -1, 1}, {3, 100, 2, -1}),
              ElementsAre(8, lowest, -4, 1));
  EXPECT_THAT(Apply<int32_t>(BinaryOp::kRightShift, {100, 100, -100, -1}, {3, 100, 2, -1}),
              ElementsAre(12, 0, -25, -1));
}

TEST(Binary, IntegersWrap) {
  EXPECT_THAT(Apply<int8_t>(BinaryOp::kAdd, {127, -128}, {1, -1}), ElementsAre(-128, 127));
  EXPECT_THAT(Apply<int16_t>(BinaryOp::kMul, {-32768, 300}, {-1, 300}), ElementsAre(-32768, 24464));
  EXPECT_THAT(Apply<uint16_t>(BinaryOp::kMul, {65535}, {65535}), ElementsAre(1));
  EXPECT_THAT(Apply<int64_t>(BinaryOp::kMaximum, {-1, 3}, {2, -4}), ElementsAre(2, 3));
}

// The undefined-behavior sanitizer reports arithmetic in which a promoted operand overflows.
template <class T>
void CheckWrapping() {
  using Unsigned = std::make_unsigned_t<T>;
  const auto wrapped = [](unsigned __int128 x) { return static_cast<T>(static_cast<Unsigned>(x)); };
  const T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const std::vector<T> ends = {lowest, highest, T(0), T(1), T(2), static_cast<T>(~T(0))};
  for (const T x : ends) {
    const auto wide_x = static_cast<unsigned __int128>(x);
    EXPECT_EQ(Apply<T>(UnaryOp::kNeg, {x})[0], wrapped(-wide_x));
    EXPECT_EQ(Apply<T>(UnaryOp::kSquare, {x})[0], wrapped(wide_x * wide_x));
    EXPECT_EQ(Apply<T>(UnaryOp::kAbs, {x})[0], x < T(0) ? wrapped(-wide_x) : x);
    EXPECT_EQ(Apply<T>(BinaryOp::kPow, {x}, {T(3)})[0], wrapped(wide_x * wide_x * wide_x));
    EXPECT_EQ(Apply<T>(BinaryOp::kLeftShift, {x}, {T(3)})[0], wrapped(wide_x << 3));
    EXPECT_EQ(Apply<T>(BinaryOp::kLeftShift, {x}, {T(100)})[0],
              wrapped(wide_x << (8 * sizeof(T) - 1)));
    EXPECT_EQ(Apply<T>(BinaryOp::kRightShift, {x}, {T(1)})[0], static_cast<T>(x >> 1));
    for (const T y : ends) {
      const auto wide_y = static_cast<unsigned __int128>(y), difference = wide_x - wide_y;
      EXPECT_EQ(Apply<T>(BinaryOp::kAdd, {x}, {y})[0], wrapped(wide_x + wide_y));
      EXPECT_EQ(Apply<T>(BinaryOp::kSub, {x}, {y})[0], wrapped(difference));
      EXPECT_EQ(Apply<T>(BinaryOp::kMul, {x}, {y})[0], wrapped(wide_x * wide_y));
      EXPECT_EQ(Apply<T>(BinaryOp::kSquaredDifference, {x}, {y})[0],
                wrapped(difference * difference));
      T product = 0, sum = x;
      Gemm(TypeOf<T>, false, false, 1, 1, 1, &x, &y, &product);
      EXPECT_EQ(product, wrapped(wide_x * wide_y));
      AddTo(TypeOf<T>, &y, &sum, 1);
      EXPECT_EQ(sum, wrapped(wide_x + wide_y));
      const T pair[] = {x, y};
      T reduced = 0;
      Reduce(ReduceOp::kSum, TypeOf<T>, ReducePlan::Full(2), pair, &reduced);
      EXPECT_EQ(reduced, wrapped(wide_x + wide_y));
      Reduce(ReduceOp::kProd, TypeOf<T>, ReducePlan::Full(2), pair, &reduced);
      EXPECT_EQ(reduced, wrapped(wide_x * wide_y));
    }
  }
}

TEST(Binary, IntegersOfAllTypesWrapAtTheirEnds) {
  CheckWrapping<int8_t>();
  CheckWrapping<int16_t>();
  CheckWrapping<int32_t>();
  CheckWrapping<int64_t>();
  CheckWrapping<uint8_t>();
  CheckWrapping<uint16_t>();
  CheckWrapping<uint32_t>();
  CheckWrapping<uint64_t>();
}

TEST(Binary, Comparisons) {
  AtEachLevel([] {
    const Floats a = {1, 2, kNan, 3};
    const Floats b = {2, 2, kNan, 1};
    bool y[4];
    Binary(BinaryOp::kLess, Type::kFloat, a.data(), b.data(), y, 4);
    EXPECT_THAT(y, ElementsAre(true, false, false, false));
    Binary(BinaryOp::kEqual, Type::kFloat, a.data(), b.data(), y, 4);
    EXPECT_THAT(y, ElementsAre(false, true, false, false));
    Binary(BinaryOp::kNotEqual, Type::kFloat, a.data(), b.data(), y, 4);
    EXPECT_THAT(y, ElementsAre(true, false, true, true));
  });
}

TEST(Binary, HalfRoundsLogarithmsBeforeMultiplying) {
  const std::vector<Half> a = {Half(3.5f), Half(0.0f), Half(30.0f)};
  const std::vector<Half> b = {Half(3.5f), Half(-1.0f), Half(2.0f)};
  std::vector<Half> y(3);
  ASSERT_TRUE(Binary(BinaryOp::kXlogy, Type::kHalf, a.data(), b.data(), y.data(), 3));
  for (const int i : {0, 2}) {
    const Half log(std::log(static_cast<float>(b[i])));
    EXPECT_EQ(y[i], Half(static_cast<float>(a[i]) * static_cast<float>(log)));
  }
  EXPECT_EQ(y[1], Half(0.0f));
}

TEST(Binary, HalfComparesAndComputes) {
  const std::vector<Half> a = {Half(1.0f), Half(2.5f)};
  const std::vector<Half> b = {Half(2.0f), Half(0.5f)};
  std::vector<Half> y(2);
  Binary(BinaryOp::kMul, Type::kHalf, a.data(), b.data(), y.data(), 2);
  EXPECT_EQ(y[1], Half(1.25f));
  bool less[2];
  Binary(BinaryOp::kLess, Type::kHalf, a.data(), b.data(), less, 2);
  EXPECT_THAT(less, ElementsAre(true, false));
}

// Subtracts with NumPy's broadcasting rule by index arithmetic.
Floats SlowBroadcastSub(const Dims& out, const Dims& da, const Floats& a, const Dims& db,
                        const Floats& b) {
  int64_t size = 1;
  for (const int64_t d : out) size *= d;
  const auto at = [&](const Dims& dims, int64_t flat) {
    int64_t index = 0, stride = 1;
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t dim = out[out.size() - 1 - i];
      if (i < dims.size() && dims[dims.size() - 1 - i] != 1) {
        index += flat % dim * stride;
        stride *= dim;
      }
      flat /= dim;
    }
    return index;
  };
  Floats y(size);
  for (int64_t i = 0; i < size; ++i) y[i] = a[at(da, i)] - b[at(db, i)];
  return y;
}

int64_t Count(const Dims& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

TEST(Binary, BroadcastsBothWays) {
  const std::pair<Dims, Dims> cases[] = {
      {{50, 256}, {256}},
      {{256}, {50, 256}},
      {{50, 10}, {50, 1}},
      {{}, {3000}},
      {{4, 1, 5}, {3, 1}},
      {{2, 3, 4, 5}, {3, 1, 5}},
      {{2, 1, 4, 1, 6}, {3, 1, 5, 1}},
      {{40000, 3}, {3}},
      {{300, 1}, {1, 301}},
      {{7, 1, 1, 9}, {1, 8, 5, 1}},
      {{1, 1}, {1}},
  };
  for (const auto& [da, db] : cases) {
    Dims out(std::max(da.size(), db.size()));
    ASSERT_TRUE(BroadcastShape(da, db, out));
    const Floats a = Noise(Count(da), 1), b = Noise(Count(db), 2);
    const Floats want = SlowBroadcastSub(out, da, a, db, b);
    BroadcastPlan plan;
    ASSERT_TRUE(BroadcastPlan::Make(da, db, &plan));
    EXPECT_TRUE(SameForAnyThreads([&] {
      Floats y(want.size());
      Binary(BinaryOp::kSub, Type::kFloat, plan, a.data(), b.data(), y.data());
      EXPECT_EQ(y, want);
      return y;
    }));
  }
}

TEST(Binary, InPlaceOfTheLargeOperand) {
  Floats y = {1, 2, 3, 4, 5, 6};
  const Floats b = {10, 20, 30};
  BroadcastPlan plan;
  ASSERT_TRUE(BroadcastPlan::Make(Dims{2, 3}, Dims{3}, &plan));
  Binary(BinaryOp::kAdd, Type::kFloat, plan, y.data(), b.data(), y.data());
  EXPECT_THAT(y, ElementsAre(11, 22, 33, 14, 25, 36));
}

TEST(Binary, EmptyResult) {
  BroadcastPlan plan;
  ASSERT_TRUE(BroadcastPlan::Make(Dims{0, 3}, Dims{3}, &plan));
  EXPECT_TRUE(Binary(BinaryOp::kAdd, Type::kFloat, plan, nullptr, nullptr, nullptr));
}

TEST(Binary, Gradients) {
  AtEachLevel([] {
    EXPECT_THAT(Apply<float>(BinaryOp::kReluGrad, {1, 2, 3, kNan}, {kNan, 0, 1, -1}),
                Equals({0, 0, 3, 0}));
    EXPECT_THAT(Apply<float>(BinaryOp::kRelu6Grad, {1, 2, 3, 4}, {kNan, 0, 5, 6}),
                Equals({0, 0, 3, 0}));
    EXPECT_THAT(Apply<float>(BinaryOp::kEluGrad, {1, 2, 4}, {kNan, 0, -.5f}), Equals({1, 2, 2}));
    EXPECT_THAT(Apply<float>(BinaryOp::kSeluGrad, {1, 4}, {1, -.5f}),
                Equals({1.050701f, 5.0323973f}));
    EXPECT_THAT(Apply<float>(BinaryOp::kSoftplusGrad, {2, 3, 4}, {0, 100, -100}),
                Equals({1, 3, 0}));
    EXPECT_THAT(Apply<float>(BinaryOp::kSoftsignGrad, {2, 4}, {0, -3}), Equals({2, 0.25f}));
    EXPECT_THAT(Apply<float>(BinaryOp::kSigmoidGrad, {0.25f}, {2}), Equals({0.375f}));
    EXPECT_THAT(Apply<float>(BinaryOp::kTanhGrad, {0.5f}, {2}), Equals({1.5f}));
    EXPECT_THAT(Apply<float>(BinaryOp::kSqrtGrad, {2}, {8}), Equals({2}));
    EXPECT_THAT(Apply<float>(BinaryOp::kRsqrtGrad, {2}, {3}), Equals({-12}));
    EXPECT_THAT(Apply<float>(BinaryOp::kReciprocalGrad, {3}, {2}), Equals({-18}));
    for (const BinaryOp op :
         {BinaryOp::kSqrtGrad, BinaryOp::kRsqrtGrad, BinaryOp::kReciprocalGrad}) {
      EXPECT_THAT(Apply<float>(op, {0, kInf, kNan}, {0, 0, 0}), Equals({0, 0, 0}));
    }
  });
}

TEST(LeakyRelu, ValueAndGradient) {
  const Floats x = {kNan, -kInf, kInf, -1, 0, 1};
  Floats y(6);
  LeakyRelu(Type::kFloat, 0.2, x.data(), y.data(), 6);
  EXPECT_THAT(y, Equals({kNan, -kInf, kInf, -0.2f, 0, 1}));
  const Floats g = {1, 1, 1, 1, 2, 3};
  LeakyReluGrad(Type::kFloat, 0.2, g.data(), x.data(), y.data(), 6);
  EXPECT_THAT(y, Equals({0.2f, 0.2f, 1, 0.2f, 0.4f, 3}));
}

TEST(Select, BroadcastsEachOperand) {
  const bool condition[] = {true, false};
  const std::vector<int64_t> a = {1, 2, 3, 4, 5, 6};
  const int64_t b = -1;
  std::vector<int64_t> y(6);
  BroadcastPlan plan;
  ASSERT_TRUE(BroadcastPlan::Make(Dims{2, 1}, Dims{2, 3}, Dims{}, &plan));
  Select(8, plan, condition, a.data(), &b, y.data());
  EXPECT_THAT(y, ElementsAre(1, 2, 3, -1, -1, -1));
}

// Checks short and long vectors; long ones are converted several elements at a time.
template <class From, class To>
void ExpectCast(From x, To expected) {
  for (int n : {1, 67}) {
    const std::vector<From> from(n, x);
    std::vector<To> to(n);
    Cast(TypeOf<From>, from.data(), TypeOf<To>, to.data(), n);
    for (To v : to) EXPECT_EQ(v, expected) << x;
  }
}

template <class From>
void ExpectCastsOutside() {
  constexpr int32_t kInt32 = std::numeric_limits<int32_t>::min();
  constexpr int64_t kInt64 = std::numeric_limits<int64_t>::min();
  constexpr uint64_t kUint64 = uint64_t{1} << 63;
  const From nan = std::numeric_limits<From>::quiet_NaN();
  const From infinity = std::numeric_limits<From>::infinity();
  for (From x : {nan, infinity, -infinity, From(1e30), From(-1e30), From(2e19)}) {
    ExpectCast<From, int8_t>(x, 0);
    ExpectCast<From, uint16_t>(x, 0);
    ExpectCast<From, int32_t>(x, kInt32);
    ExpectCast<From, int64_t>(x, kInt64);
    ExpectCast<From, uint32_t>(x, 0x80000000u);
    ExpectCast<From, uint64_t>(x, kUint64);
  }
  ExpectCast<From, int32_t>(From(3e9), kInt32);
  ExpectCast<From, int32_t>(From(-2147483648.0), kInt32);
  ExpectCast<From, uint32_t>(From(3e9), 3000000000u);
  ExpectCast<From, uint32_t>(From(-3e9), 0x80000000u);
  ExpectCast<From, uint32_t>(From(-1.5), 0xFFFFFFFFu);
  ExpectCast<From, int64_t>(From(0x1p63), kInt64);
  ExpectCast<From, uint64_t>(From(0x1p63), kUint64);
  ExpectCast<From, uint64_t>(From(0x1p63 + 0x1p62), kUint64 | kUint64 >> 1);
  ExpectCast<From, uint64_t>(From(-1.5), ~uint64_t{0});
  ExpectCast<From, int8_t>(From(300.7), 44);
  ExpectCast<From, uint8_t>(From(-1.5), 255);
}

TEST(Cast, OutsideOfTheRangeAsTensorFlow) {
  ExpectCastsOutside<float>();
  ExpectCastsOutside<double>();
}

TEST(Cast, AsTensorFlow) {
  const Floats x = {-3.7f, 300, 0, 0.1f};
  int32_t i[4];
  Cast(Type::kFloat, x.data(), Type::kInt32, i, 4);
  EXPECT_THAT(i, ElementsAre(-3, 300, 0, 0));
  uint8_t u[4];
  Cast(Type::kFloat, x.data(), Type::kUint8, u, 4);
  EXPECT_THAT(u, ElementsAre(253, 44, 0, 0));
  bool b[4];
  Cast(Type::kFloat, x.data(), Type::kBool, b, 4);
  EXPECT_THAT(b, ElementsAre(true, true, false, true));
  Half h[4];
  Cast(Type::kInt32, i, Type::kHalf, h, 4);
  EXPECT_EQ(h[1], Half(300.0f));
  std::complex<double> c[4];
  Cast(Type::kHalf, h, Type::kComplex128, c, 4);
  EXPECT_EQ(c[1], std::complex<double>(300, 0));
}

TEST(AddTo, Accumulates) {
  Floats y = {1, 2};
  const Floats x = {10, 20};
  AddTo(Type::kFloat, x.data(), y.data(), 2);
  EXPECT_THAT(y, ElementsAre(11, 22));
}

TEST(Elementwise, EveryOpIsBoundForItsTypes) {
  for (int op = 0; op < kNumUnaryOps; ++op) {
    bool any = false;
    for (int type = 0; type < kNumTypes; ++type) {
      any = any || HasUnary(static_cast<UnaryOp>(op), static_cast<Type>(type));
    }
    EXPECT_TRUE(any) << op;
  }
  for (int op = 0; op < kNumBinaryOps; ++op) {
    const BinaryOp binary = static_cast<BinaryOp>(op);
    EXPECT_TRUE(HasBinary(binary, Type::kFloat) || HasBinary(binary, Type::kUint8) ||
                HasBinary(binary, Type::kBool))
        << op;
  }
}

}  // namespace
}  // namespace ramet::linalg
