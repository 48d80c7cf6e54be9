#include "ramet/replica/conversions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

constexpr double kLargest = 127;

// Calls `fn` with a null pointer of the C++ type of a floating dtype.
template <class Fn>
auto WithFloating(DType dtype, Fn&& fn) {
  if (dtype == kDouble) return fn(static_cast<double*>(nullptr));
  if (dtype == kHalf) return fn(static_cast<Half*>(nullptr));
  if (dtype == kBFloat16) return fn(static_cast<BFloat16*>(nullptr));
  return fn(static_cast<float*>(nullptr));
}

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class From, class To>
void Convert(const Tensor& from, Tensor* to) {
  const auto in = from.flat<From>();
  const auto out = to->mutable_flat<To>();
  for (size_t i = 0; i < in.size(); ++i) {
    out[i] = static_cast<To>(static_cast<Wide<To>>(static_cast<Wide<From>>(in[i])));
  }
}

// Sets the scale of each channel. Returns false if a value is not finite.
template <class T>
bool FindScales(std::span<const T> values, std::span<Wide<T>> scales) {
  std::fill(scales.begin(), scales.end(), Wide<T>(0));
  bool finite = true;
  for (size_t i = 0; i < values.size(); i += scales.size()) {
    for (size_t c = 0; c < scales.size(); ++c) {
      const auto magnitude = std::abs(static_cast<Wide<T>>(values[i + c]));
      finite &= magnitude <= std::numeric_limits<Wide<T>>::max();
      scales[c] = std::max(scales[c], magnitude);
    }
  }
  for (auto& scale : scales) scale /= static_cast<Wide<T>>(kLargest);
  return finite;
}

template <class T>
void QuantizeBy(std::span<const T> values, std::span<const Wide<T>> scales, std::span<int8_t> out) {
  const auto largest = static_cast<Wide<T>>(kLargest);
  for (size_t i = 0; i < values.size(); i += scales.size()) {
    for (size_t c = 0; c < scales.size(); ++c) {
      const auto value = static_cast<Wide<T>>(values[i + c]);
      const auto level = scales[c] > 0 ? std::nearbyint(value / scales[c]) : Wide<T>(0);
      out[i + c] = static_cast<int8_t>(std::clamp(level, -largest, largest));
    }
  }
}

template <class T>
void Dequantize(std::span<const int8_t> values, std::span<const Wide<T>> scales, std::span<T> out) {
  for (size_t i = 0; i < values.size(); i += scales.size()) {
    for (size_t c = 0; c < scales.size(); ++c) {
      out[i + c] = static_cast<T>(static_cast<Wide<T>>(values[i + c]) * scales[c]);
    }
  }
}

}  // namespace

DType ConvertedDType(DType dtype, Conversion conversion) {
  if (!IsFloating(dtype)) return dtype;
  switch (conversion) {
    case Conversion::kNone: return dtype;
    case Conversion::kBFloat16: return kBFloat16;
    case Conversion::kHalf: return kHalf;
    case Conversion::kInt8: return kInt8;
  }
  return dtype;
}

DType ScalesDType(DType dtype) { return dtype == kDouble ? kDouble : kFloat; }

Shape ScalesShape(const Shape& shape) {
  return Shape{shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1)};
}

StatusOr<Tensor> ConvertFloating(const Tensor& value, DType to, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(Tensor converted, Tensor::Allocate(to, value.shape(), allocator));
  WithFloating(value.dtype(), [&](auto* from) {
    using From = std::remove_pointer_t<decltype(from)>;
    WithFloating(to, [&](auto* target) {
      Convert<From, std::remove_pointer_t<decltype(target)>>(value, &converted);
    });
  });
  return converted;
}

StatusOr<Quantized> Quantize(const Tensor& value, Allocator* allocator) {
  Quantized q;
  RAMET_ASSIGN_OR_RETURN(q.values, Tensor::Allocate(kInt8, value.shape(), allocator));
  RAMET_ASSIGN_OR_RETURN(q.scales, Tensor::Allocate(ScalesDType(value.dtype()),
                                                    ScalesShape(value.shape()), allocator));
  const bool finite = WithFloating(value.dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto scales = q.scales.mutable_flat<Wide<T>>();
    if (!FindScales<T>(value.flat<T>(), scales)) return false;
    QuantizeBy<T>(value.flat<T>(), scales, q.values.mutable_flat<int8_t>());
    return true;
  });
  if (finite) return q;
  return InvalidArgument("a value is not finite and cannot be represented as int8");
}

StatusOr<Tensor> Decode(const VariableSpec& spec, const Tensor& value, const Tensor& scales) {
  if (spec.decoded_dtype() == spec.dtype) return value;
  if (spec.scales.empty()) return ConvertFloating(value, spec.decoded_dtype(), HostAllocator());
  RAMET_ASSIGN_OR_RETURN(Tensor decoded, Tensor::Allocate(spec.decoded_dtype(), spec.shape));
  WithFloating(spec.decoded_dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Dequantize<T>(value.flat<int8_t>(), scales.flat<Wide<T>>(), decoded.mutable_flat<T>());
  });
  return decoded;
}

}  // namespace ramet
