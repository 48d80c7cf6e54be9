#include "compare.h"

#include <cmath>
#include <complex>
#include <type_traits>

namespace ramet::zoo {
namespace {

using Number = std::complex<double>;

template <class T>
Number AsNumber(const T& value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return Number(value);
  }
}

bool IsNan(Number x) { return std::isnan(x.real()) || std::isnan(x.imag()); }
bool IsInf(Number x) { return std::isinf(x.real()) || std::isinf(x.imag()); }

bool Near(Number got, Number expected, double rtol, double atol) {
  if (IsNan(got) || IsNan(expected)) return IsNan(got) && IsNan(expected);
  if (IsInf(got) || IsInf(expected)) return got == expected;
  return std::abs(got - expected) <= atol + rtol * std::abs(expected);
}

template <class T>
std::string FirstFar(const Tensor& got, const Tensor& expected, double rtol, double atol) {
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    const Number g = AsNumber(got.data<T>()[i]), e = AsNumber(expected.data<T>()[i]);
    if (Near(g, e, rtol, atol)) continue;
    return StrCat("element ", i, " is ", g.real(), "+", g.imag(), "i, expected ", e.real(), "+",
                  e.imag(), "i within ", atol, " + ", rtol, " * |expected|");
  }
  return "";
}

}  // namespace

std::string Difference(const Tensor& got, const Tensor& expected, double rtol, double atol) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return StrCat("it is ", got.ToString(), ", expected ", expected.ToString());
  }
  switch (got.dtype()) {
    case kFloat: return FirstFar<float>(got, expected, rtol, atol);
    case kDouble: return FirstFar<double>(got, expected, rtol, atol);
    case kHalf: return FirstFar<Half>(got, expected, rtol, atol);
    case kBFloat16: return FirstFar<BFloat16>(got, expected, rtol, atol);
    case kComplex64: return FirstFar<std::complex<float>>(got, expected, rtol, atol);
    case kComplex128: return FirstFar<std::complex<double>>(got, expected, rtol, atol);
    default: break;
  }
  if (got.BitwiseEquals(expected)) return "";
  return StrCat("it is ", got.ToString(), ", expected exactly ", expected.ToString());
}

}  // namespace ramet::zoo
