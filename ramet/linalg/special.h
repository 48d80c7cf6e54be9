#pragma once

namespace ramet::linalg {

// Special functions of single numbers for T = float and double. NaN outside of their domains.
template <class T>
struct Special {
  // The modified Bessel functions of order 0 and 1, times exp(-|x|).
  static T BesselI0e(T x);
  static T BesselI1e(T x);
  // The regularized incomplete beta function.
  static T Betainc(T a, T b, T x);
  // The regularized lower and upper incomplete gamma functions, and d Igamma(a, x) / da.
  static T Igamma(T a, T x);
  static T Igammac(T a, T x);
  static T IgammaGradA(T a, T x);
  // d x / da for a sample x of the gamma distribution with shape a.
  static T GammaSampleGradA(T a, T x);
  // The inverses of the normal distribution function and of the error function.
  static T Ndtri(T x);
  static T Erfinv(T x);
};

extern template struct Special<float>;
extern template struct Special<double>;

}  // namespace ramet::linalg
