#include "ramet/tensor/outside_values.h"

namespace ramet {

bool MayStayShared(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

void NormalizeBools(void* bytes, size_t size) {
  auto* byte = static_cast<unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i) byte[i] = byte[i] != 0 ? 1 : 0;
}

void NormalizeBools(Tensor* tensor) {
  if (tensor->dtype() == DType::kBool) NormalizeBools(tensor->raw_data(), tensor->bytes());
}

bool HasOnlyBools(const Tensor& tensor) {
  if (tensor.dtype() != DType::kBool) return true;
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw_data());
  unsigned char all = 0;
  for (size_t i = 0; i < tensor.bytes(); ++i) all |= bytes[i];
  return all <= 1;
}

bool IsTrue(const Tensor& scalar) {
  return *static_cast<const unsigned char*>(scalar.raw_data()) != 0;
}

}  // namespace ramet
