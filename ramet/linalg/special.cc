#include "ramet/linalg/special.h"

#include <limits>
#include <numbers>
#include <unsupported/Eigen/SpecialFunctions>

namespace ramet::linalg {

template <class T>
T Special<T>::BesselI0e(T x) {
  return Eigen::numext::bessel_i0e(x);
}

template <class T>
T Special<T>::BesselI1e(T x) {
  return Eigen::numext::bessel_i1e(x);
}

template <class T>
T Special<T>::Betainc(T a, T b, T x) {
  return Eigen::numext::betainc(a, b, x);
}

template <class T>
T Special<T>::Igamma(T a, T x) {
  return Eigen::numext::igamma(a, x);
}

template <class T>
T Special<T>::Igammac(T a, T x) {
  return Eigen::numext::igammac(a, x);
}

template <class T>
T Special<T>::IgammaGradA(T a, T x) {
  return Eigen::numext::igamma_der_a(a, x);
}

template <class T>
T Special<T>::GammaSampleGradA(T a, T x) {
  return Eigen::numext::gamma_sample_der_alpha(a, x);
}

template <class T>
T Special<T>::Ndtri(T x) {
  if (x < 0 || x > 1) return std::numeric_limits<T>::quiet_NaN();
  return Eigen::numext::ndtri(x);
}

template <class T>
T Special<T>::Erfinv(T x) {
  return Ndtri(T(0.5) * x + T(0.5)) * (std::numbers::sqrt2_v<T> / 2);
}

template struct Special<float>;
template struct Special<double>;

}  // namespace ramet::linalg
