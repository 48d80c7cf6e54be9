#include "ramet/edit/clone/convert_floating.h"

namespace ramet {
namespace {

template <class From, class To>
void Convert(const Tensor& from, Tensor* to) {
  std::span<const From> values = from.flat<From>();
  std::span<To> converted = to->mutable_flat<To>();
  for (size_t i = 0; i < values.size(); ++i) {
    converted[i] = static_cast<To>(static_cast<float>(values[i]));
  }
}

template <class From>
void ConvertFrom(const Tensor& from, Tensor* to) {
  switch (to->dtype()) {
    case kFloat: return Convert<From, float>(from, to);
    case kDouble: return Convert<From, double>(from, to);
    case kHalf: return Convert<From, Half>(from, to);
    default: return Convert<From, BFloat16>(from, to);
  }
}

}  // namespace

StatusOr<Tensor> ConvertFloating(const Tensor& tensor, DType to) {
  if (tensor.dtype() == to) return tensor;
  RAMET_ASSIGN_OR_RETURN(Tensor converted, Tensor::Allocate(to, tensor.shape()));
  switch (tensor.dtype()) {
    case kFloat: ConvertFrom<float>(tensor, &converted); break;
    case kDouble: ConvertFrom<double>(tensor, &converted); break;
    case kHalf: ConvertFrom<Half>(tensor, &converted); break;
    default: ConvertFrom<BFloat16>(tensor, &converted); break;
  }
  return converted;
}

}  // namespace ramet
