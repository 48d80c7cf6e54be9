#pragma once

#include <cstdint>

#include "ramet/linalg/levels/level.h"

// Branch-free functions of one float or double, so that loops over them vectorize and an element
// has the same bits in a vector and in the remainder of a loop. The polynomials are minimax fits of
// the relative error of the whole function.

namespace ramet::linalg::RAMET_LEVEL {

#define RAMET_INLINE [[gnu::always_inline]] inline

RAMET_INLINE float MulAdd(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
RAMET_INLINE double MulAdd(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Returns c[0] + c[1] x + c[2] x^2 + ...
template <class T>
RAMET_INLINE T Horner(T, double c) {
  return static_cast<T>(c);
}
template <class T, class... C>
RAMET_INLINE T Horner(T x, double c, C... rest) {
  return MulAdd(Horner(x, rest...), x, static_cast<T>(c));
}

RAMET_INLINE float AbsOf(float x) { return __builtin_fabsf(x); }
RAMET_INLINE double AbsOf(double x) { return __builtin_fabs(x); }
RAMET_INLINE float SqrtOf(float x) { return __builtin_sqrtf(x); }
RAMET_INLINE double SqrtOf(double x) { return __builtin_sqrt(x); }
RAMET_INLINE float SignedAs(float x, float sign) { return __builtin_copysignf(x, sign); }
RAMET_INLINE double SignedAs(double x, double sign) { return __builtin_copysign(x, sign); }

template <class T>
struct Layout;
template <>
struct Layout<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
  // Adding it to a number of smaller magnitude leaves the rounded integer in the lowest bits.
  static constexpr float kRounder = 12582912.0f;
  // log(2) in two parts. The product of the first part and an exponent is exact.
  static constexpr float kLog2High = 0.693145751953125f, kLog2Low = 1.42860682030942e-6f;
};
template <>
struct Layout<double> {
  using Bits = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr double kLog2High = 0x1.62e42feep-1, kLog2Low = 1.9082149292705878161e-10;
};

// Returns 2^n, where `rounded` is n + kRounder.
template <class T>
RAMET_INLINE T PowerOf2(T rounded) {
  using L = Layout<T>;
  using Bits = typename L::Bits;
  return __builtin_bit_cast(T, (__builtin_bit_cast(Bits, rounded) + L::kBias) << L::kMantissa);
}

// e^(x + low) = 2^n * (1 + fraction).
template <class T>
struct ExpParts {
  T n, fraction;

  RAMET_INLINE explicit ExpParts(T x, T low = 0) {
    using L = Layout<T>;
    const T rounded = MulAdd(x, static_cast<T>(1.4426950408889634), L::kRounder);
    n = rounded - L::kRounder;
    const T r = MulAdd(n, -L::kLog2Low, MulAdd(n, -L::kLog2High, x)) + low;
    T q;
    if constexpr (sizeof(T) == 4) {
      q = Horner(r, 0.500000004729, 0.166666668149, 0.0416663509317, 0.00833327346375,
                 0.00139413131195, 0.000199139815801);
    } else {
      q = Horner(r, 0.5, 0.166666666666666711, 0.0416666666666666698, 0.00833333333332597311,
                 0.00138888888888836326, 0.000198412698753854795, 0.0000248015873259511094,
                 2.75572546857288025e-6, 2.75572731328960409e-7, 2.51055135418470849e-8,
                 2.09148987271755242e-9);
    }
    fraction = MulAdd(r * r, q, r);
  }

  // Returns 2^shift times the value, with gradual underflow.
  RAMET_INLINE T Value(T shift = 0) const {
    const T exponent = n + shift;
    const T half = MulAdd(exponent, T(0.5), Layout<T>::kRounder);
    const T rest = exponent - (half - Layout<T>::kRounder) + Layout<T>::kRounder;
    const T first = PowerOf2(half);
    return MulAdd(first, fraction, first) * PowerOf2(rest);
  }
};

template <class T>
RAMET_INLINE T Clamped(T x, T low, T high) {
  const T above = low > x ? low : x;
  return high < above ? high : above;
}

// Below and above these, e^x is not a normal number or is infinite.
template <class T>
inline constexpr T kExpLowest = sizeof(T) == 4 ? T(-87.33654475) : T(-708.3964185322641);
template <class T>
inline constexpr T kExpHighest = sizeof(T) == 4 ? T(89) : T(710);

// Returns e^x. Results below the smallest normal number are 0, as in TensorFlow.
template <class T>
RAMET_INLINE T ExpOf(T x) {
  const T e = ExpParts<T>(Clamped(x, kExpLowest<T>, kExpHighest<T>)).Value();
  return x < kExpLowest<T> ? T(0) : e;
}

// Returns e^x for x <= 0.
template <class T>
RAMET_INLINE T ExpOfNegative(T x) {
  const T bounded = x < kExpLowest<T> ? kExpLowest<T> : x;
  const ExpParts<T> e(bounded);
  const T scale = PowerOf2(e.n + Layout<T>::kRounder);
  const T value = MulAdd(scale, e.fraction, scale);
  return x < kExpLowest<T> ? T(0) : value;
}

template <class T>
RAMET_INLINE T Expm1Of(T x) {
  const ExpParts<T> e(Clamped(x, T(-45), kExpHighest<T>));
  const T scale = PowerOf2(e.n - 1 + Layout<T>::kRounder);
  const T value = MulAdd(scale, e.fraction, scale - T(0.5)) * 2;
  return x == 0 ? x : value;
}

// Returns log(x) of a positive normal number.
RAMET_INLINE float LogOfNormal(float x) {
  constexpr uint32_t kRootOfHalf = 0x3f3504f3;
  const uint32_t bits = __builtin_bit_cast(uint32_t, x) - kRootOfHalf;
  const float exponent = static_cast<float>(static_cast<int32_t>(bits) >> 23);
  const float f = __builtin_bit_cast(float, (bits & 0x7fffff) + kRootOfHalf) - 1;
  const float p =
      Horner(f, 0.333333103771, -0.249999864751, 0.200022312905, -0.16669261358, 0.142185632375,
             -0.123840941903, 0.118734750874, -0.117916193666, 0.0691641631719);
  const float low = MulAdd(exponent, Layout<float>::kLog2Low, f * f * MulAdd(f, p, -0.5f));
  return MulAdd(exponent, Layout<float>::kLog2High, f + low);
}

RAMET_INLINE float LogOf(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const float value = LogOfNormal(tiny ? x * 8388608.0f : x) - (tiny ? 15.942385f : 0.0f);
  const float inf = __builtin_inff();
  return x > 0 && x < inf ? value : x == 0 ? -inf : x < 0 ? __builtin_nanf("") : x;
}

// Returns log(1 + x) of a finite x >= 0.
RAMET_INLINE float Log1pOfPositive(float x) {
  const float u = 1 + x;
  return LogOfNormal(u) + (x - (u - 1)) / u;
}

RAMET_INLINE float Log1pOf(float x) {
  const float inf = __builtin_inff();
  const float u = 1 + x;
  const float value = LogOf(u) + (x - (u - 1)) / u;
  return u == 0 ? -inf : x == inf || x == 0 ? x : value;
}

// Returns log(1 + exp(x)): x if exp(-x) is negligible next to 1, exp(x) if exp(x) is.
RAMET_INLINE float SoftplusOf(float x) {
  constexpr float kLimit = 13.942385f;
  const float e = ExpOf(x);
  const float middle = Log1pOfPositive(1e30f < e ? 1e30f : e);
  const float low = x < -kLimit ? e : middle;
  return x > kLimit ? x : low;
}

// Returns atan(q) for q in [0, 1].
RAMET_INLINE float AtanPart(float q) {
  const float z = q * q;
  const float p = Horner(z, -0.333333274334, 0.199996926107, -0.142801307397, 0.110602445429,
                         -0.0881884830125, 0.067595721101, -0.0449464455499, 0.0227603406969,
                         -0.00742263759257, 0.00113487830752);
  return MulAdd(q * z, p, q);
}
RAMET_INLINE double AtanPart(double q) {
  const double z = q * q;
  const double p = Horner(z, -0.333333333333333303, 0.199999999999975322, -0.142857142853841315,
                          0.111111110934908281, -0.0909090859089193423, 0.0769229897103321692,
                          -0.0666656469928910421, 0.0588150687779365607, -0.0525797333428411081,
                          0.0473774957952777897, -0.0426035663260165213, 0.0374948681253524711,
                          -0.0312771890669963848, 0.023696731580048622, -0.0155351524754141761,
                          0.00836893117845016214, -0.00349588597391630952, 0.00104960350849685151,
                          -0.000199961893779013821, 0.0000180619546186121522);
  return MulAdd(q * z, p, q);
}

template <class T>
struct Pi {
  static constexpr T kPi = static_cast<T>(3.14159265358979323846L);
  static constexpr T kPiLow = static_cast<T>(3.14159265358979323846L - kPi);
  static constexpr T kHalf = kPi / 2, kHalfLow = kPiLow / 2;
};

template <class T>
RAMET_INLINE T Atan2Of(T y, T x) {
  const T ax = AbsOf(x), ay = AbsOf(y);
  const bool steep = ay > ax;
  const T low = steep ? ax : ay, high = steep ? ay : ax;
  const T ratio = low == high ? T(high == 0 ? 0 : 1) : low / high;
  const T part = AtanPart(ratio);
  const T first = steep ? Pi<T>::kHalf - (part - Pi<T>::kHalfLow) : part;
  const bool left = SignedAs(T(1), x) < 0;
  const T angle = left ? Pi<T>::kPi - (first - Pi<T>::kPiLow) : first;
  return x != x || y != y ? x + y : SignedAs(angle, y);
}

template <class T>
RAMET_INLINE T AtanOf(T x) {
  const T ax = AbsOf(x);
  const bool steep = ax > 1;
  const T part = AtanPart(steep ? 1 / ax : ax);
  return SignedAs(steep ? Pi<T>::kHalf - (part - Pi<T>::kHalfLow) : part, x);
}

// asin(x) = root + root * z * P(z) with z = root^2 up to 1/4.
RAMET_INLINE float AsinPart(float root, float z) {
  const float p = Horner(z, 0.166666598719, 0.0750051091697, 0.0445157204951, 0.0318176093227,
                         0.0144026149703, 0.0375651883859);
  return MulAdd(root * z, p, root);
}
RAMET_INLINE float AsinOf(float x) {
  const float ax = AbsOf(x);
  const bool large = ax > 0.5f;
  const float z = large ? (1 - ax) * 0.5f : ax * ax;
  const float part = AsinPart(large ? SqrtOf(z) : ax, z);
  using P = Pi<float>;
  return SignedAs(large ? P::kHalf - (2 * part - P::kHalfLow) : part, x);
}
RAMET_INLINE float AcosOf(float x) {
  const float ax = AbsOf(x);
  const bool large = ax > 0.5f;
  const float z = large ? (1 - ax) * 0.5f : ax * ax;
  const float part = AsinPart(large ? SqrtOf(z) : ax, z);
  using P = Pi<float>;
  const float near_end = x < 0 ? P::kPi - (2 * part - P::kPiLow) : 2 * part;
  return large ? near_end : P::kHalf - (SignedAs(part, x) - P::kHalfLow);
}

RAMET_INLINE float AtanhOf(float x) {
  const float ax = AbsOf(x);
  return SignedAs(0.5f * Log1pOf(2 * ax / (1 - ax)), x);
}

RAMET_INLINE double TanhOf(double x) {
  const double e = Expm1Of(2 * Clamped(AbsOf(x), 0.0, 22.0));
  return SignedAs(e / (e + 2), x);
}

// Returns erf(x), as x times a quotient of polynomials up to where erf(x) rounds to 1.
RAMET_INLINE float ErfOf(float x) {
  const float a = Clamped(x, -3.925f, 3.925f), z = a * a;
  const float p = Horner(z, 1.12837914574, 0.190594998657, 0.0527694680526, 0.00377260504783,
                         0.000284845053499, 2.04602155579e-06);
  const float q = Horner(z, 1, 0.50224314983, 0.114183240506, 0.0149833074534, 0.0011638716354,
                         3.80477937363e-05);
  const float value = Clamped(a * p / q, -1.0f, 1.0f);
  return AbsOf(x) >= 3.925f ? SignedAs(1.0f, x) : value;
}

RAMET_INLINE double ErfOf(double x) {
  const double ax = AbsOf(x), z = x * x;
  const double near =
      x * Horner(z, 1.12837916709551257, -0.376126389031837481, 0.112837916709548787,
                 -0.0268661706450767932, 0.00522397762481801447, -0.000854832698083378991,
                 0.000120553311116427109, -0.0000149255952668311816, 1.6461000484121368e-6,
                 -1.6350312701054695e-7, 1.46597752740474358e-8, -1.13728488567916737e-9,
                 5.9571761477489114e-11);
  const double a = Clamped(ax, 1.0, 6.0);
  const double u = (1 / (a + 2) - 11.0 / 48) * (48.0 / 5);
  const double p = Horner(
      u, 0.221429540229931806, 0.161893568041024982, 0.03856057042518243, 0.00558881628183960892,
      0.000197139177727722604, -0.0000807922042629306763, -7.34051793497095164e-6,
      1.97956181895784454e-6, 1.63499352934664784e-7, -7.00531958057690827e-8,
      -5.88535529015733293e-10, 2.62402194786673032e-9, -2.68830722335365369e-10,
      -7.36273843490944406e-11, 2.22783093569405034e-11, -1.27182263181818259e-13,
      -1.01851401599805579e-12, 1.42131403047153167e-13, 1.92127296798805736e-14);
  const double far = SignedAs(1 - ExpParts<double>(-a * a).Value() * p, x);
  return ax > 1 ? far : near;
}

// Returns erfc(x): for |x| > 0.5, exp(-x^2) / (|x| + 2) times a polynomial in 1 / (|x| + 2). The
// product is computed times 2^64, which is a normal number wherever erfc(x) is.
RAMET_INLINE float ErfcOf(float x) {
  const float ax = AbsOf(x), a = 11.0f < ax ? 11.0f : ax;
  const float t = 1 / (a + 2);
  const float p =
      t * Horner(t, 0.564152473031, 1.13031688, 1.9314151352, 3.36124372684, -1.46295583317,
                 19.6887816795, -65.7838864277, 76.1297901917, -31.4957828515);
  const float square = a * a;
#if defined(__FMA__)
  const float rest = __builtin_fmaf(-a, a, square);
#else
  const float high = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, a) & 0xfffff000u);
  const float rest = ((square - high * high) - 2 * high * (a - high)) - (a - high) * (a - high);
#endif
  const ExpParts<float> e(-square, rest);
  const float scale = PowerOf2(e.n + (64 + Layout<float>::kRounder));
  const float part = MulAdd(scale, e.fraction, scale) * p * 0x1p-64f;
  const float near = MulAdd(-x,
                            Horner(x * x, 1.12837916555, -0.376126083338, 0.112828171282,
                                   -0.0267567630232, 0.00471703252837),
                            1.0f);
  return ax > 0.5f ? (x < 0 ? 2 - part : part) : x != x ? x : near;
}

#undef RAMET_INLINE

}  // namespace ramet::linalg::RAMET_LEVEL
