#include "tensor_json.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

// Returns a JSON number, or a string for an infinity or NaN.
nlohmann::json NumberJson(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

template <class T>
nlohmann::json ElementJson(const T& x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return x;
  } else if constexpr (std::is_same_v<T, double>) {
    return NumberJson(x);
  } else if constexpr (requires { x.imag(); }) {
    return nlohmann::json::array({NumberJson(x.real()), NumberJson(x.imag())});
  } else {
    return NumberJson(static_cast<float>(x));
  }
}

template <class T>
nlohmann::json ElementsJson(const rm::Tensor& tensor, int64_t max) {
  auto json = nlohmann::json::array();
  const int64_t shown = std::min(max, tensor.num_elements());
  for (int64_t i = 0; i < shown; ++i) json.push_back(ElementJson(tensor.data<T>()[i]));
  return json;
}

nlohmann::json ValuesJson(const rm::Tensor& t, int64_t max) {
  switch (t.dtype()) {
    case rm::kFloat: return ElementsJson<float>(t, max);
    case rm::kDouble: return ElementsJson<double>(t, max);
    case rm::kHalf: return ElementsJson<rm::Half>(t, max);
    case rm::kBFloat16: return ElementsJson<rm::BFloat16>(t, max);
    case rm::kInt8: return ElementsJson<int8_t>(t, max);
    case rm::kInt16: return ElementsJson<int16_t>(t, max);
    case rm::kInt32: return ElementsJson<int32_t>(t, max);
    case rm::kInt64: return ElementsJson<int64_t>(t, max);
    case rm::kUInt8: return ElementsJson<uint8_t>(t, max);
    case rm::kUInt16: return ElementsJson<uint16_t>(t, max);
    case rm::kUInt32: return ElementsJson<uint32_t>(t, max);
    case rm::kUInt64: return ElementsJson<uint64_t>(t, max);
    case rm::kBool: return ElementsJson<bool>(t, max);
    case rm::kString: return ElementsJson<std::string>(t, max);
    case rm::kComplex64: return ElementsJson<std::complex<float>>(t, max);
    case rm::kComplex128: return ElementsJson<std::complex<double>>(t, max);
    default: return nullptr;
  }
}

}  // namespace

nlohmann::json TensorJson(const rm::Tensor& tensor, int64_t max) {
  return {{"dtype", rm::DTypeName(tensor.dtype())},
          {"shape", ShapeJson(tensor.shape())},
          {"values", ValuesJson(tensor, max)}};
}

}  // namespace cli
